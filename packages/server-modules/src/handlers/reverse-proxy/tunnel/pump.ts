import type { Readable, Writable } from "node:stream";

/**
 * Copies bytes between two sides, and stops reading while too many wait for a slow side. When one side ends,
 * the other does.
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
