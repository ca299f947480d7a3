import type { Socket } from "node:net";

/** How long a client has to read an answer that came too early for it. */
const lingerMs = 500;

/**
 * Ends our side, and gives the client time to read the answer before the connection closes. If it closed at
 * once with unread bytes of the client, the client would see a reset instead of the answer. Readers of the
 * socket continue, and drop the data.
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
