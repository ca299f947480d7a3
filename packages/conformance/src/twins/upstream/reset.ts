import type { Socket } from "node:net";

/** Ends a connection with a reset. Without a handle to reset any more, as after the other side has gone, it is only closed. */
export function reset(socket: Socket): void {
  try {
    socket.resetAndDestroy();
  } catch {
    socket.destroy();
  }
}
