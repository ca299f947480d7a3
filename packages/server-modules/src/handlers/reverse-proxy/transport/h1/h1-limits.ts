/** Limits and times of connections; times in milliseconds, 0 for none. */
export interface H1Limits {
  /** Bytes of an answer's head. More fail the request, so that an upstream cannot fill the memory. */
  readonly maxHeaderBytes: number;
  /** Milliseconds from the whole request sent to the head of the answer; 0 for no limit. */
  readonly responseHeaderTimeoutMs: number;
  /** Milliseconds to wait for 100 before the body is sent anyway. */
  readonly expectContinueTimeoutMs: number;
  /** Milliseconds without a byte of the answer; 0 for no limit. */
  readonly readTimeoutMs: number;
  /** Milliseconds in which the upstream takes no byte; 0 for no limit. */
  readonly writeTimeoutMs: number;
}
