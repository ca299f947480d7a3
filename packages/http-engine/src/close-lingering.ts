import type { Socket } from "node:net";

/** How long a client has to read an answer that came too early for it. */
const lingerMs = 500;

/**
 * Ends our side, and gives the client a moment to read the answer before the connection is gone: closed at once, with
 * bytes of the client unread, it would see a reset in place of the answer. Who reads from the socket goes on, and drops.
 */
export function closeLingering(socket: Socket): void {
  if (socket.destroyed) {
    return;
  }
  socket.end();
  socket.resume();
  const destroy = () => socket.destroy();
  const timer = setTimeout(destroy, lingerMs);
  timer.unref();
  // Over TLS the answer may not be on its way yet.
  socket.once("end", () => (socket.writableFinished ? socket.destroy() : socket.once("finish", destroy)));
}
