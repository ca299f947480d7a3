/** Bytes of one write to a socket. Source: the public model (Caddy 2.11) */
export const defaultMaxWriteChunk = 64 * 1024;

/** How connections are treated; taken over with each config. Milliseconds; 0 is unlimited. */
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
  /** Time in which a client must take `maxWriteChunk` bytes of a response that waits for it. */
  readonly writeIdleTimeoutMs: number;
  /** Bytes handed to the socket at once. A larger chunk makes a slow client look idle for longer. */
  readonly maxWriteChunk: number;
  /** Bytes a second that a client must take of a response that waits for it; 0: no limit. */
  readonly writeMinRate: number;
  /** Between two requests. */
  readonly idleTimeoutMs: number;
  /** Silence after which TCP asks whether the client is there. */
  readonly keepAliveMs: number;
  /** Between two of these questions. */
  readonly keepAliveIntervalMs: number;
  /** Unanswered probes after which the connection is closed. */
  readonly keepAliveCount: number;
  /** Bytes of a request's head, names and values together. More are answered with 431. */
  readonly maxHeaderBytes: number;
}
