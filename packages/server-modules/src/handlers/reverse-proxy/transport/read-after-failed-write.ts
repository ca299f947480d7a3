import type { Socket } from "node:net";

/** Looks for more in a row that find nothing, before there is nothing: the first may come before the socket was read. */
const vainLooks = 2;
/** Milliseconds between looks while somebody else holds the reading. */
const pausedMs = 10;

/**
 * Lets a socket be read to the end of what has come when a write to it fails. An upstream may answer and close before it has
 * all of a body. Node destroys the socket with the write that fails then, and with it the answer. Only for sockets with a
 * buffer of their own (`onread`): streams drop what comes after an error.
 * @param isWanted says whether an answer is awaited, and ends all writing
 */
export function readAfterFailedWrite(socket: Socket, isWanted: () => boolean): void {
  let fault: Error | undefined;
  let looks = 0;
  const look = (before: number) => {
    const again = () => {
      if (socket.destroyed) {
        return;
      }
      looks = socket.bytesRead === before && !socket.isPaused() ? looks + 1 : 0;
      if (looks === vainLooks) {
        socket.destroy(fault);
      } else {
        look(socket.bytesRead);
      }
    };
    if (socket.isPaused()) {
      setTimeout(again, pausedMs);
    } else {
      setImmediate(again);
    }
  };
  socket.destroy = (error) => {
    if (fault === undefined && isOfWrite(error) && isWanted()) {
      fault = error;
      look(socket.bytesRead);
      return socket;
    }
    Reflect.deleteProperty(socket, "destroy");
    return socket.destroy(error);
  };
}

function isOfWrite(error: (Error & { syscall?: string }) | undefined): boolean {
  return error?.syscall === "write";
}
