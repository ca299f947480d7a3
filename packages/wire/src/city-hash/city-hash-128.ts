import { mixBlocks } from "./mix-blocks.ts";
import {
  hash0to16,
  hash16,
  k0,
  k1,
  k3,
  type MixState,
  type Pair,
  rotate,
  shiftMix,
  u64,
  weakHash32,
} from "./mixing.ts";

/** `CityMurmur`: the hash of less than 128 bytes at `at`. */
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

/**
 * `CityHash128WithSeed`: the hash of `total` bytes at `start`. Blocks of 128 bytes are mixed first, then the remaining
 * bytes.
 */
function seeded(view: DataView, start: number, total: number, seed: Pair): Pair {
  if (total < 128) {
    return murmur(view, start, total, seed);
  }
  const [x0, y0] = seed;
  const z0 = u64(BigInt(total) * k1);
  const v0 = u64(rotate(y0 ^ k1, 49n) * k1 + view.getBigUint64(start, true));
  const state: MixState = {
    ...{ x: x0, y: y0, z: z0 },
    v: [v0, u64(rotate(v0, 42n) * k1 + view.getBigUint64(start + 8, true))],
    w: [
      u64(rotate(u64(y0 + z0), 35n) * k1 + x0),
      u64(rotate(u64(x0 + view.getBigUint64(start + 88, true)), 53n) * k1),
    ],
  };
  const mixed = total - (total % 128);
  mixBlocks(state, view, start, mixed);
  let { x, y, v, w } = state;
  const { z } = state;
  const length = total - mixed;
  y = u64(y + u64(rotate(w[0], 37n) * k0) + z);
  x = u64(x + u64(rotate(u64(v[0] + z), 49n) * k0));
  const end = start + total;
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

/**
 * CityHash128 in version 1.0.2, which is the checksum of ClickHouse's compressed blocks. Later versions of CityHash
 * return other values. Source: ClickHouse contrib/cityhash102/src/city.cc
 * @returns the two halves in writing order, each to be written little-endian
 */
export function cityHash128(bytes: Uint8Array): Pair {
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
