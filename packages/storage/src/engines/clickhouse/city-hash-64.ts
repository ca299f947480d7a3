/**
 * CityHash64 in its version 1.0.2, which is ClickHouse's; later versions give other values. The checksum of compressed blocks in
 * `tracing-storage` is made of the same pieces, but that process may not import this package.
 * Source: ClickHouse contrib/cityhash102/src/city.cc
 */

const k0 = 0xc3a5c85c97cb3127n;
const k1 = 0xb492b66fbe98f273n;
const k2 = 0x9ae16a3b2f90404fn;
const k3 = 0xc949d7c7509e6557n;
const kMul = 0x9ddfea08eb382d69n;

const u64 = (value: bigint): bigint => BigInt.asUintN(64, value);
const rotate = (value: bigint, shift: bigint): bigint => u64((value >> shift) | (value << (64n - shift)));
const shiftMix = (value: bigint): bigint => value ^ (value >> 47n);

type Pair = readonly [low: bigint, high: bigint];

function hash16([low, high]: Pair): bigint {
  let a = u64((low ^ high) * kMul);
  a ^= a >> 47n;
  let b = u64((high ^ a) * kMul);
  b ^= b >> 47n;
  return u64(b * kMul);
}

function hash0to16(view: DataView, at: number, length: number): bigint {
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

/** Of 32 bytes and two seeds. */
function weakHash32(view: DataView, at: number, seedA: bigint, seedB: bigint): Pair {
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

/** What is kept of the bytes so far. */
interface MixState {
  x: bigint;
  y: bigint;
  z: bigint;
  v: Pair;
  w: Pair;
}

/** Mixes 64 bytes into a state. */
function mix64(state: MixState, view: DataView, at: number): void {
  const { v, w } = state;
  const x = u64(rotate(u64(state.x + state.y + v[0] + view.getBigUint64(at + 16, true)), 37n) * k1) ^ w[1];
  const y = u64(rotate(u64(state.y + v[1] + view.getBigUint64(at + 48, true)), 42n) * k1) ^ v[0];
  const z = rotate(state.z ^ w[0], 33n);
  state.v = weakHash32(view, at, u64(v[1] * k1), u64(x + w[0]));
  state.w = weakHash32(view, at + 32, u64(z + w[1]), y);
  state.x = z;
  state.y = y;
  state.z = x;
}

/** What ClickHouse's function `cityHash64` gives for a text. */
export function cityHash64(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const { length } = bytes;
  if (length <= 16) return hash0to16(view, 0, length);
  if (length <= 32) return hash17to32(view);
  return length <= 64 ? hash33to64(view) : hashLong(view);
}

/** The same for two arguments, of the hashes of each. Source: ClickHouse src/Functions/FunctionsHashing.h, `combineHashes` */
export function combinedCityHash64(first: bigint, second: bigint): bigint {
  return hash16([first, second]);
}

function hash17to32(view: DataView): bigint {
  const length = view.byteLength;
  const a = u64(view.getBigUint64(0, true) * k1);
  const b = view.getBigUint64(8, true);
  const c = u64(view.getBigUint64(length - 8, true) * k2);
  const d = u64(view.getBigUint64(length - 16, true) * k0);
  return hash16([
    u64(rotate(u64(a - b), 43n) + rotate(c, 30n) + d),
    u64(a + rotate(b ^ k3, 20n) - c + BigInt(length)),
  ]);
}

function hash33to64(view: DataView): bigint {
  const length = view.byteLength;
  const atEnd = view.getBigUint64(length - 16, true);
  const [v0, v1] = mixed32(view, 0, u64((BigInt(length) + atEnd) * k0), view.getBigUint64(24, true));
  const [w0, w1] = mixed32(
    view,
    length - 32,
    view.getBigUint64(16, true),
    view.getBigUint64(length - 8, true),
  );
  const r = shiftMix(u64((v0 + w1) * k2 + (w0 + v1) * k0));
  return u64(shiftMix(u64(r * k0 + v1)) * k2);
}

/** Of 24 bytes, what is added to the first 8 of them, and the 8 after them. */
function mixed32(view: DataView, at: number, added: bigint, z: bigint): readonly [bigint, bigint] {
  const first = u64(view.getBigUint64(at, true) + added);
  const second = u64(first + view.getBigUint64(at + 8, true));
  const third = u64(second + view.getBigUint64(at + 16, true));
  const c = u64(rotate(first, 37n) + rotate(second, 7n));
  return [u64(third + z), u64(rotate(u64(first + z), 52n) + rotate(third, 31n) + c)];
}

function hashLong(view: DataView): bigint {
  const length = view.byteLength;
  const lengthMix = BigInt(length);
  const y = view.getBigUint64(length - 16, true) ^ k1;
  const seed = view.getBigUint64(length - 56, true) ^ k0;
  const v = weakHash32(view, length - 64, lengthMix, y);
  const w = weakHash32(view, length - 32, u64(lengthMix * k1), k0);
  const z = u64(seed + shiftMix(v[1]) * k1);
  const x = u64(rotate(u64(z + view.getBigUint64(0, true)), 39n) * k1);
  const state: MixState = { x, y: u64(rotate(y, 33n) * k1), z, v, w };
  for (let at = 0; at < length - 1 - ((length - 1) % 64); at += 64) mix64(state, view, at);
  return hash16([
    u64(hash16([state.v[0], state.w[0]]) + shiftMix(state.y) * k1 + state.z),
    u64(hash16([state.v[1], state.w[1]]) + state.x),
  ]);
}
