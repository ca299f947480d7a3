/** Size of one write to a socket in bytes. Source: the public model (Caddy 2.11) */
export const defaultMaxWriteChunk = 64 * 1024;

/** Limits of connections; each new config replaces them. Milliseconds; 0 is unlimited. */
export interface ConnectionLimits {
  /** From the first byte of a request, or the opening of the connection, to the end of the head. */
  readonly readHeaderTimeoutMs: number;
  /** For a whole request. */
  readonly readTimeoutMs: number;
  /** Between two pieces of a body. */
  readonly readIdleTimeoutMs: number;
  /** Bytes a second that a client must send of a body that is waited for; 0: no limit. */
  readonly readMinRate: number;
  /** For a whole response, from the end of the request's head. */
  readonly writeTimeoutMs: number;
  /** Time in which a client must read `maxWriteChunk` bytes of a response that waits for it. */
  readonly writeIdleTimeoutMs: number;
  /** Bytes that are passed to the socket at once. With a larger chunk, a slow client looks idle for longer. */
  readonly maxWriteChunk: number;
  /** Bytes per second that a client must read of a response that waits for it; 0: no limit. */
  readonly writeMinRate: number;
  /** Between two requests. */
  readonly idleTimeoutMs: number;
  /** Time without data after which TCP checks whether the client is still there. */
  readonly keepAliveMs: number;
  /** Between two of these questions. */
  readonly keepAliveIntervalMs: number;
  /** Unanswered probes after which the connection is closed. */
  readonly keepAliveCount: number;
  /** Size limit of a request's head in bytes, names and values together. A larger head gets status 431. */
  readonly maxHeaderBytes: number;
}
