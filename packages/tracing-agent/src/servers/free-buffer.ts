/**
 * Frees the memory of a buffer immediately. V8 frees such memory only when it collects its old generation, and by then
 * tens of megabytes have accumulated.
 * @param buffer from `Buffer.allocUnsafeSlow`, so that no other buffer shares its memory; empty afterwards
 */
export function freeBuffer(buffer: Buffer): void {
  (buffer.buffer as ArrayBuffer).transfer(0);
}
