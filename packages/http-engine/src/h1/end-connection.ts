import type { Socket } from "node:net";
import { reasonPhrase } from "http-protocols/http1/response-start";
import { closeLingering } from "../close-lingering.ts";
import { refusalOf } from "../refusal.ts";

/** Responds to bytes that are not a request, with the reason. The caller must close the connection. */
export function writeRefusal(socket: Socket, error: unknown): void {
  const { status, body } = refusalOf(error);
  socket.write(
    `HTTP/1.1 ${status} ${reasonPhrase(status)}\r\nContent-Type: text/plain; charset=utf-8\r\n` +
      `Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/**
 * Ends our side, and gives the client time to read the response before the connection closes.
 * @param halfClosed true when the client has ended its side
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
