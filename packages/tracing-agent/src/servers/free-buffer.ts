/**
 * Frees the memory of a buffer at once. V8 frees it only with its old generation, and by then tens of
 * megabytes have accumulated.
 * @param buffer of `Buffer.allocUnsafeSlow`, so that no other has a part in its memory; empty from now on
 */
export function freeBuffer(buffer: Buffer): void {
  (buffer.buffer as ArrayBuffer).transfer(0);
}
