import type { Socket } from "node:net";

/**
 * Ends a connection with a reset. When there is no handle to reset, because the other side has closed, the socket is
 * only closed.
 */
export function reset(socket: Socket): void {
  try {
    socket.resetAndDestroy();
  } catch {
    socket.destroy();
  }
}
