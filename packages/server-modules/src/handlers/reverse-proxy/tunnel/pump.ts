import type { Readable, Writable } from "node:stream";

/**
 * Hands bytes on, and stops reading while more than so many wait for a side that takes its time. What ends on one side
 * ends on the other.
 * @param maxWaitingBytes what may wait in `to`, besides the piece that was read last
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
  from.resume(); // it may have been paused when it left HTTP
}
