import { mixBlocks } from "./mix-blocks.ts";
import {
  hash0to16,
  hash16,
  k0,
  k1,
  k2,
  k3,
  type MixState,
  rotate,
  shiftMix,
  u64,
  weakHash32,
} from "./mixing.ts";

/**
 * Computes the same value as ClickHouse's function `cityHash64`: CityHash64 version 1.0.2. Later versions of CityHash
 * return other values. Source: ClickHouse contrib/cityhash102/src/city.cc
 */
export function cityHash64(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const { length } = bytes;
  if (length <= 16) {
    return hash0to16(view, 0, length);
  }
  if (length <= 32) {
    return hash17to32(view);
  }
  return length <= 64 ? hash33to64(view) : hashLong(view);
}

/** `HashLen17to32` in the source, for texts of that length. */
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

/** `HashLen33to64` in the source. */
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

/** Intermediate values for 24 bytes, whose first 8 bytes are increased by a number. */
function mixed32(view: DataView, at: number, added: bigint, z: bigint): readonly [bigint, bigint] {
  const first = u64(view.getBigUint64(at, true) + added);
  const second = u64(first + view.getBigUint64(at + 8, true));
  const third = u64(second + view.getBigUint64(at + 16, true));
  const c = u64(rotate(first, 37n) + rotate(second, 7n));
  return [u64(third + z), u64(rotate(u64(first + z), 52n) + rotate(third, 31n) + c)];
}

/** Hashes longer texts in blocks of 64 bytes. The initial state is computed from the last 64 bytes. */
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
  mixBlocks(state, view, 0, length - 1 - ((length - 1) % 64));
  return hash16([
    u64(hash16([state.v[0], state.w[0]]) + shiftMix(state.y) * k1 + state.z),
    u64(hash16([state.v[1], state.w[1]]) + state.x),
  ]);
}
