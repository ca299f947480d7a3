/**
 * Gives a buffer's memory back at once. V8 does so when it collects its old generation, before which tens of megabytes
 * pile up.
 * @param buffer of `Buffer.allocUnsafeSlow`, so that no other has a part in its memory; empty from now on
 */
export function freeBuffer(buffer: Buffer): void {
  (buffer.buffer as ArrayBuffer).transfer(0);
}
