/** Parts of the 64-bit and 128-bit hashes. Source: ClickHouse contrib/cityhash102/src/city.cc */

/**
 * Constants of the algorithm. With other values every hash would differ, and ClickHouse would refuse this product's
 * blocks.
 */
export const k0 = 0xc3a5c85c97cb3127n;
export const k1 = 0xb492b66fbe98f273n;
export const k2 = 0x9ae16a3b2f90404fn;
export const k3 = 0xc949d7c7509e6557n;
const kMul = 0x9ddfea08eb382d69n;

/** Keeps the low 64 bits, as C++ does for each result. */
export const u64 = (value: bigint): bigint => BigInt.asUintN(64, value);
/** Rotates to the right; `shift` is 1 to 63. */
export const rotate = (value: bigint, shift: bigint): bigint =>
  u64((value >> shift) | (value << (64n - shift)));
/** Mixes the high bits into the low bits. */
export const shiftMix = (value: bigint): bigint => value ^ (value >> 47n);

/** A 128-bit number as two halves. */
export type Pair = readonly [low: bigint, high: bigint];

/** Hash of 16 bytes, given as two numbers; `HashLen16` in the source. */
export function hash16([low, high]: Pair): bigint {
  let a = u64((low ^ high) * kMul);
  a ^= a >> 47n;
  let b = u64((high ^ a) * kMul);
  b ^= b >> 47n;
  return u64(b * kMul);
}

/** The hash of 0 to 16 bytes, `HashLen0to16` in the source. The hash of no bytes is `k2`. */
export function hash0to16(view: DataView, at: number, length: number): bigint {
  if (length > 8) {
    const a = view.getBigUint64(at, true);
    const b = view.getBigUint64(at + length - 8, true);
    return hash16([a, rotate(u64(b + BigInt(length)), BigInt(length))]) ^ b;
  }
  if (length >= 4) {
    const a = BigInt(view.getUint32(at, true));
    return hash16([u64(BigInt(length) + (a << 3n)), BigInt(view.getUint32(at + length - 4, true))]);
  }
  if (length > 0) {
    const a = view.getUint8(at);
    const b = view.getUint8(at + (length >> 1));
    const c = view.getUint8(at + length - 1);
    const y = BigInt(a + (b << 8));
    const z = BigInt(length + (c << 2));
    return u64(shiftMix(u64(y * k2) ^ u64(z * k3)) * k2);
  }
  return k2;
}

/** Hash of 32 bytes with two seeds. */
export function weakHash32(view: DataView, at: number, seedA: bigint, seedB: bigint): Pair {
  const w = view.getBigUint64(at, true);
  const x = view.getBigUint64(at + 8, true);
  const y = view.getBigUint64(at + 16, true);
  const z = view.getBigUint64(at + 24, true);
  let a = u64(seedA + w);
  let b = rotate(u64(seedB + a + z), 21n);
  const c = a;
  a = u64(a + x + y);
  b = u64(b + rotate(a, 44n));
  return [u64(a + z), u64(b + c)];
}

/** State of the hash after the bytes read so far. */
export interface MixState {
  x: bigint;
  y: bigint;
  z: bigint;
  v: Pair;
  w: Pair;
}
