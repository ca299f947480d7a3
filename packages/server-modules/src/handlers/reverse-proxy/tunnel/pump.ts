import type { Readable, Writable } from "node:stream";

/**
 * Copies bytes from one side to the other, and pauses while the slow side has too many waiting bytes. When one side
 * ends, the other side is ended too.
 * @param maxWaitingBytes limit of bytes that wait in `to`; the last chunk may exceed it
 */
export function pump(from: Readable, to: Writable, maxWaitingBytes: number): void {
  const taken = (): void => {
    if (to.writableLength <= maxWaitingBytes) {
      from.resume();
    }
  };
  from.on("data", (chunk: Buffer) => {
    to.write(chunk, taken);
    if (to.writableLength > maxWaitingBytes) {
      from.pause();
    }
  });
  from.once("end", () => to.end());
  from.resume(); // the socket may have been paused when it left HTTP
}
