/** Default of {@link ConnectionLimits.maxWriteChunk}. Source: Caddy 2.11 */
export const defaultMaxWriteChunk = 64 * 1024;

/** Limits of connections; each new config replaces them. Milliseconds; 0 is unlimited. */
export interface ConnectionLimits {
  /** Milliseconds from the first byte of a request, or the opening of the connection, to the end of the head. */
  readonly readHeaderTimeoutMs: number;
  /** Milliseconds for receiving a whole request, including its body. */
  readonly readTimeoutMs: number;
  /** Milliseconds without a new piece of the body. */
  readonly readIdleTimeoutMs: number;
  /** Bytes per second that a client must send while a handler waits for the body; 0: no limit. */
  readonly readMinRate: number;
  /** Milliseconds for a whole response, from the end of the request's head. */
  readonly writeTimeoutMs: number;
  /** Milliseconds in which the client must read `maxWriteChunk` bytes while unsent bytes of a response wait. */
  readonly writeIdleTimeoutMs: number;
  /** Bytes of a waiting response that the client must read within each `writeIdleTimeoutMs`; of a shorter rest, all. */
  readonly maxWriteChunk: number;
  /** Bytes per second that a client must read while unsent bytes of a response wait; 0: no limit. */
  readonly writeMinRate: number;
  /** Milliseconds that a connection may wait for its next request before it is closed. */
  readonly idleTimeoutMs: number;
  /** Milliseconds without data after which TCP checks whether the client is still there; 0: TCP never checks. */
  readonly keepAliveMs: number;
  /** Milliseconds between two TCP probes. */
  readonly keepAliveIntervalMs: number;
  /** Unanswered probes after which the connection is closed. */
  readonly keepAliveCount: number;
  /** Size limit of a request's head in bytes, names and values together. A larger head gets status 431. */
  readonly maxHeaderBytes: number;
}
