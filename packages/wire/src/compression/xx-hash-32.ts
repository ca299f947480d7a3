// Primes of the algorithm. With other values, every checksum would be wrong.
const prime1 = 0x9e3779b1;
const prime2 = 0x85ebca77;
const prime3 = 0xc2b2ae3d;
const prime4 = 0x27d4eb2f;
const prime5 = 0x165667b1;
const stripeBytes = 16;

/**
 * xxHash of 32 bits with seed 0 over `bytes[start, end)`, as the checksum of LZ4 frames. Source: Cyan4973/xxHash
 * doc/xxhash_spec.md, "XXH32 Algorithm Description".
 */
export function xxHash32(bytes: Uint8Array, start: number, end: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = start;
  let hash = prime5;
  if (end - start >= stripeBytes) {
    let a = (prime1 + prime2) | 0;
    let b = prime2 | 0;
    let c = 0;
    let d = -prime1 | 0;
    for (; at + stripeBytes <= end; at += stripeBytes) {
      a = round(a, view.getUint32(at, true));
      b = round(b, view.getUint32(at + 4, true));
      c = round(c, view.getUint32(at + 8, true));
      d = round(d, view.getUint32(at + 12, true));
    }
    hash = (turned(a, 1) + turned(b, 7) + turned(c, 12) + turned(d, 18)) | 0;
  }
  hash = (hash + end - start) | 0;
  for (; at + 4 <= end; at += 4) {
    hash = Math.imul(turned((hash + Math.imul(view.getUint32(at, true), prime3)) | 0, 17), prime4);
  }
  for (; at < end; at++) {
    hash = Math.imul(turned((hash + Math.imul(bytes[at] as number, prime5)) | 0, 11), prime1);
  }
  hash = Math.imul(hash ^ (hash >>> 15), prime2);
  hash = Math.imul(hash ^ (hash >>> 13), prime3);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Mixes four bytes into one of the four sums. */
function round(lane: number, value: number): number {
  return Math.imul(turned((lane + Math.imul(value, prime2)) | 0, 13), prime1);
}

/** Rotates `value` to the left by `bits` bits. */
function turned(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}
