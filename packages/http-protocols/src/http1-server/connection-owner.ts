import type { Http1Request } from "./http1-request.ts";
import type { Http1Response } from "./http1-response.ts";

/** Time limits and sizes of connections. Milliseconds; 0 is unlimited. */
export interface ServerLimits {
  /** Milliseconds that a connection may wait for its next request before it is closed. */
  readonly idleTimeoutMs: number;
  /** Milliseconds from the opening of a connection to its first byte. */
  readonly firstByteTimeoutMs: number;
  /** Milliseconds from the first byte of a request to the end of the head. */
  readonly readHeaderTimeoutMs: number;
  /** Milliseconds for receiving the body, from the end of the head. */
  readonly readTimeoutMs: number;
  /** Size limit of a request's head in bytes. */
  readonly maxHeaderBytes: number;
  /** Maximum number of bytes of an unread body that are read and dropped, so that the client reads the response. */
  readonly maxDroppedBytes: number;
}

/** The server, as its connections see it. */
export interface ConnectionOwner {
  readonly limits: ServerLimits;
  /** False while the server is stopping: each response is then the last of its connection. */
  readonly accepting: boolean;
  /** Header lines of a response whose connection stays open. */
  readonly stayLines: string;
  /** Takes a request whose head is complete. */
  take(request: Http1Request, response: Http1Response): void;
  /** Called with an unexpected error in the work for a connection. */
  fault(error: unknown): void;
  /** Called when the socket is closed. */
  closed(connection: OwnedConnection): void;
}

/** A connection, as its server sees it. */
export interface OwnedConnection {
  /** Ends the connection now. */
  destroy(): void;
  /**
   * Closes a connection without a request as soon as nothing has arrived for some rounds: a request that was sent before
   * is served. A running request stays, and its response announces the end.
   */
  closeWhenIdle(): void;
  /**
   * Ends a wait that exceeds its time limit: the wait for a head, a body or the next request.
   * @param now in milliseconds since 1970
   */
  checkTimeouts(now: number): void;
}
