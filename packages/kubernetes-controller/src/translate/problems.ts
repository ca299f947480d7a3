/** A fault of an object, for the log and for an Event. The other objects are served. */
export interface Problem {
  readonly kind: string;
  readonly object: {
    readonly metadata: { readonly name: string; readonly namespace?: string; readonly uid?: string };
  };
  /** One word in camel case, as in Events. */
  readonly reason: string;
  readonly message: string;
}
