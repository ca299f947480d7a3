import type { Socket } from "node:net";

/** Milliseconds for the client to read a response that was sent before the end of its request. */
const lingerMs = 500;

/**
 * Ends our side, and gives the client time to read the response before the connection closes. If it closed while bytes
 * of the client are unread, the client would see a reset instead of the response. Readers of the socket continue, and
 * drop the data.
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
  // Over TLS, the last bytes of the response may still be unsent.
  socket.once("end", () => (socket.writableFinished ? socket.destroy() : socket.once("finish", destroy)));
}
