/** An answer of another type than its style says; all of it is there. */
export class TypedAnswer {
  readonly contentType: string;
  /** Together the body. */
  readonly parts: readonly Uint8Array[];

  /** @param body parts of it, or a text */
  constructor(contentType: string, body: string | readonly Uint8Array[]) {
    this.contentType = contentType;
    this.parts = typeof body === "string" ? [Buffer.from(body)] : body;
  }
}
