/**
 * A copy in memory of its own, for bytes that live as long as a connection. A view would keep its whole packet in
 * memory. `Buffer.from` takes small copies from a pool of 64 KiB, and one of them keeps the whole pool.
 */
export function ownCopy(bytes: Uint8Array): Buffer {
  const copy = Buffer.alloc(bytes.length);
  copy.set(bytes);
  return copy;
}
