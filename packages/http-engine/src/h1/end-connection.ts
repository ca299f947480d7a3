import type { Socket } from "node:net";
import { closeLingering } from "../close-lingering.ts";
import { httpStatus } from "../http-status.ts";
import { reasonPhrase } from "../status-text.ts";

/** Answers what is no request. The connection has no future then. */
export function writeRefusal(socket: Socket, error: unknown): void {
  const status = httpStatus(error);
  socket.write(
    `HTTP/1.1 ${status} ${reasonPhrase(status)}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
  );
}

/**
 * Ends our side, and gives the client time to read the answer before the connection closes.
 * @param halfClosed whether the client has ended its side
 */
export function endConnection(socket: Socket, halfClosed: boolean): void {
  if (socket.destroyed) {
    return;
  }
  if (halfClosed) {
    socket.end(() => socket.destroy());
    return;
  }
  closeLingering(socket);
}
