/** Limits and timeouts of connections. Timeouts are in milliseconds; 0: no limit. */
export interface H1Limits {
  /**
   * Maximum number of bytes of a response head. A larger head fails the request, so that an upstream cannot fill the
   * memory.
   */
  readonly maxHeaderBytes: number;
  /** Milliseconds from sending the whole request to the response head; 0 for no limit. */
  readonly responseHeaderTimeoutMs: number;
  /** Milliseconds to wait for `100 Continue`; after them, the body is sent without it. */
  readonly expectContinueTimeoutMs: number;
  /** Milliseconds without a byte of the response; 0 for no limit. */
  readonly readTimeoutMs: number;
  /** Milliseconds in which the upstream accepts no byte; 0 for no limit. */
  readonly writeTimeoutMs: number;
}
