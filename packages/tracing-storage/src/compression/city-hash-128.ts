/**
 * CityHash128 in its version 1.0.2, the checksum of ClickHouse's compressed blocks. Later versions give other values.
 * Source: ClickHouse contrib/cityhash102/src/city.cc
 */

const k0 = 0xc3a5c85c97cb3127n;
const k1 = 0xb492b66fbe98f273n;
const k2 = 0x9ae16a3b2f90404fn;
const k3 = 0xc949d7c7509e6557n;
const kMul = 0x9ddfea08eb382d69n;

const u64 = (value: bigint) => BigInt.asUintN(64, value);
const rotate = (value: bigint, shift: bigint) => u64((value >> shift) | (value << (64n - shift)));
const shiftMix = (value: bigint) => value ^ (value >> 47n);

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

/** Of less than 128 bytes. */
function murmur(view: DataView, at: number, length: number, [seedLow, seedHigh]: Pair): Pair {
  let a = seedLow;
  let b = seedHigh;
  let c: bigint;
  let d: bigint;
  let left = length - 16;
  let index = at;
  if (left <= 0) {
    a = u64(shiftMix(u64(a * k1)) * k1);
    c = u64(b * k1 + hash0to16(view, at, length));
    d = shiftMix(u64(a + (length >= 8 ? view.getBigUint64(at, true) : c)));
  } else {
    c = hash16([u64(view.getBigUint64(at + length - 8, true) + k1), a]);
    d = hash16([u64(b + BigInt(length)), u64(c + view.getBigUint64(at + length - 16, true))]);
    a = u64(a + d);
    do {
      a ^= u64(shiftMix(u64(view.getBigUint64(index, true) * k1)) * k1);
      a = u64(a * k1);
      b ^= a;
      c ^= u64(shiftMix(u64(view.getBigUint64(index + 8, true) * k1)) * k1);
      c = u64(c * k1);
      d ^= c;
      index += 16;
      left -= 16;
    } while (left > 0);
  }
  a = hash16([a, c]);
  b = hash16([d, b]);
  return [a ^ b, hash16([b, a])];
}

function seeded(view: DataView, start: number, total: number, seed: Pair): Pair {
  if (total < 128) {
    return murmur(view, start, total, seed);
  }
  let length = total;
  let at = start;
  let [x, y] = seed;
  let z = u64(BigInt(length) * k1);
  const v0 = u64(rotate(y ^ k1, 49n) * k1 + view.getBigUint64(at, true));
  let v: Pair = [v0, u64(rotate(v0, 42n) * k1 + view.getBigUint64(at + 8, true))];
  let w: Pair = [
    u64(rotate(u64(y + z), 35n) * k1 + x),
    u64(rotate(u64(x + view.getBigUint64(at + 88, true)), 53n) * k1),
  ];
  const step = () => {
    x = u64(rotate(u64(x + y + v[0] + view.getBigUint64(at + 16, true)), 37n) * k1);
    y = u64(rotate(u64(y + v[1] + view.getBigUint64(at + 48, true)), 42n) * k1);
    x ^= w[1];
    y ^= v[0];
    z = rotate(z ^ w[0], 33n);
    v = weakHash32(view, at, u64(v[1] * k1), u64(x + w[0]));
    w = weakHash32(view, at + 32, u64(z + w[1]), y);
    [z, x] = [x, z];
    at += 64;
  };
  do {
    step();
    step();
    length -= 128;
  } while (length >= 128);
  y = u64(y + u64(rotate(w[0], 37n) * k0) + z);
  x = u64(x + u64(rotate(u64(v[0] + z), 49n) * k0));
  const end = at + length;
  for (let done = 0; done < length; ) {
    done += 32;
    y = u64(u64(rotate(u64(y - x), 42n) * k0) + v[1]);
    w = [u64(w[0] + view.getBigUint64(end - done + 16, true)), w[1]];
    x = u64(rotate(x, 49n) * k0 + w[0]);
    w = [u64(w[0] + v[0]), w[1]];
    v = weakHash32(view, end - done, v[0], v[1]);
  }
  x = hash16([x, v[0]]);
  y = hash16([y, w[0]]);
  return [u64(hash16([u64(x + v[1]), w[1]]) + y), hash16([u64(x + w[1]), u64(y + v[1])])];
}

/** @returns the two halves, as they are written: each in little endian, the first one first */
export function cityHash128(bytes: Buffer): Pair {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const length = bytes.length;
  if (length >= 16) {
    return seeded(view, 16, length - 16, [view.getBigUint64(0, true) ^ k3, view.getBigUint64(8, true)]);
  }
  if (length >= 8) {
    return seeded(view, 0, 0, [
      view.getBigUint64(0, true) ^ u64(BigInt(length) * k0),
      view.getBigUint64(length - 8, true) ^ k1,
    ]);
  }
  return seeded(view, 0, length, [k0, k1]);
}
