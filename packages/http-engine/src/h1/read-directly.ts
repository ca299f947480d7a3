import type { Socket } from "node:net";

/**
 * Hands what a flowing socket reads to `take` at once, in place of an event `data`. A readable stream spends a turn of the
 * queue of ticks on each chunk to see whether more can be read; a socket reads on by itself. While the socket is paused, or
 * holds bytes, and for its end, everything goes its usual way: `take` must listen to `data` too.
 * @returns ends it
 */
export function readDirectly(socket: Socket, take: (chunk: Buffer) => void): () => void {
  const { push } = socket;
  socket.push = (chunk: Buffer | null, encoding?: BufferEncoding): boolean => {
    if (chunk === null || socket.readableFlowing !== true || socket.readableLength > 0) {
      return push.call(socket, chunk, encoding);
    }
    take(chunk);
    return true;
  };
  return () => {
    socket.push = push;
  };
}
