import type { Socket } from "node:net";
import type { ConnectionLimits } from "../connection-limits.ts";
import type { DetachedConnection } from "../http-stream.ts";
import type { H1Connection } from "./h1-connection.ts";
import type { H1Stream } from "./h1-stream.ts";

/** The listener, as far as a connection needs it. */
export interface ConnectionOwner {
  readonly limits: ConnectionLimits;
  readonly accepting: boolean;
  take(stream: H1Stream): void;
  /** The connection begins with the preface of HTTP/2. @returns whether it was taken */
  takeHttp2?(socket: Socket, bytes: Buffer): boolean;
  /** Work for a connection threw what no code foresaw: the connection is cut. */
  fault(error: unknown): void;
  closed(connection: H1Connection): void;
  detached(connection: H1Connection, tunnel: DetachedConnection): void;
}
