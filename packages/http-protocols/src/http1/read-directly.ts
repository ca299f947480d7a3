import type { Socket } from "node:net";

/**
 * Passes data of a flowing socket to `take` immediately, without the event `data`. After each chunk, a readable stream
 * uses a turn of the tick queue to check for more data, although a socket continues reading by itself. A paused socket,
 * buffered bytes and the end of the data still use events, so the caller must also listen to `data`.
 * @returns a function that ends the direct reading
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
