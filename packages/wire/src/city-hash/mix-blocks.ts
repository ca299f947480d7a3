import { type MixState, u64 } from "./mixing.ts";

/** Parts of the constant k1, 0xb492b66fbe98f273: the lower half as two parts of 16 bits, and both halves. */
const k1Low0 = 0xf273;
const k1Low1 = 0xbe98;
const k1Low = 0xbe98f273 | 0;
const k1High = 0xb492b66f | 0;

/** High and low 32 bits of the last result; two numbers are used, because `BigInt` is fifty times slower. */
let high = 0;
let low = 0;

/** Adds two numbers of 64 bits. */
function add(aHigh: number, aLow: number, bHigh: number, bLow: number): void {
  const sum = (aLow >>> 0) + (bLow >>> 0);
  low = sum | 0;
  high = (aHigh + bHigh + (sum > 0xffffffff ? 1 : 0)) | 0;
}

/** Rotates to the right by 1 to 31 bits. For 32 bits or more, the caller swaps the halves. */
function rotate(aHigh: number, aLow: number, shift: number): void {
  low = (aLow >>> shift) | (aHigh << (32 - shift));
  high = (aHigh >>> shift) | (aLow << (32 - shift));
}

/** Multiplies by k1, and keeps the low 64 bits of the product. */
function timesK1(aHigh: number, aLow: number): void {
  const a0 = aLow & 0xffff;
  const a1 = aLow >>> 16;
  const p00 = a0 * k1Low0;
  const middle = a0 * k1Low1 + a1 * k1Low0 + (p00 >>> 16);
  low = (middle << 16) | (p00 & 0xffff);
  // `middle` has up to 34 bits.
  high = (a1 * k1Low1 + Math.floor(middle / 65_536) + Math.imul(aHigh, k1Low) + Math.imul(aLow, k1High)) | 0;
}

const halves = (value: bigint): [number, number] => [
  Number(BigInt.asIntN(32, value >> 32n)),
  Number(BigInt.asIntN(32, value)),
];
const whole = (valueHigh: number, valueLow: number): bigint =>
  u64((BigInt(valueHigh >>> 0) << 32n) | BigInt(valueLow >>> 0));

/** Mixes blocks of 64 bytes into a state. @param length a multiple of 64 */
export function mixBlocks(state: MixState, view: DataView, start: number, length: number): void {
  let [xH, xL] = halves(state.x);
  let [yH, yL] = halves(state.y);
  let [zH, zL] = halves(state.z);
  let [v0H, v0L] = halves(state.v[0]);
  let [v1H, v1L] = halves(state.v[1]);
  let [w0H, w0L] = halves(state.w[0]);
  let [w1H, w1L] = halves(state.w[1]);
  for (let at = start; at < start + length; at += 64) {
    // x = rotate(x + y + v0 + bytes 16, 37) * k1 ^ w1
    add(xH, xL, yH, yL);
    add(high, low, v0H, v0L);
    add(high, low, view.getInt32(at + 20, true), view.getInt32(at + 16, true));
    rotate(low, high, 5);
    timesK1(high, low);
    xH = high ^ w1H;
    xL = low ^ w1L;
    // y = rotate(y + v1 + bytes 48, 42) * k1 ^ v0
    add(yH, yL, v1H, v1L);
    add(high, low, view.getInt32(at + 52, true), view.getInt32(at + 48, true));
    rotate(low, high, 10);
    timesK1(high, low);
    yH = high ^ v0H;
    yL = low ^ v0L;
    // z = rotate(z ^ w0, 33)
    rotate(zL ^ w0L, zH ^ w0H, 1);
    zH = high;
    zL = low;
    // v = 32 bytes, mixed with v1 * k1 and x + w0
    timesK1(v1H, v1L);
    keepSeed();
    add(xH, xL, w0H, w0L);
    mix32(view, at);
    v0H = firstHigh;
    v0L = firstLow;
    v1H = high;
    v1L = low;
    // w = mix32 of the next 32 bytes, with z + w1 and y as seeds
    add(zH, zL, w1H, w1L);
    keepSeed();
    high = yH;
    low = yL;
    mix32(view, at + 32);
    w0H = firstHigh;
    w0L = firstLow;
    w1H = high;
    w1L = low;
    const oldH = xH; // x and z change places
    const oldL = xL;
    xH = zH;
    xL = zL;
    zH = oldH;
    zL = oldL;
  }
  state.x = whole(xH, xL);
  state.y = whole(yH, yL);
  state.z = whole(zH, zL);
  state.v = [whole(v0H, v0L), whole(v1H, v1L)];
  state.w = [whole(w0H, w0L), whole(w1H, w1L)];
}

/** First result of `mix32`. `high` and `low` have the second result. */
let firstHigh = 0;
let firstLow = 0;

/** The seed a of `mix32`. */
let seedHigh = 0;
let seedLow = 0;

/** Uses the last result as the seed a. */
function keepSeed(): void {
  seedHigh = high;
  seedLow = low;
}

/** Like `weakHash32`, with 32-bit halves. The last result is the seed b. */
function mix32(view: DataView, at: number): void {
  const bH = high;
  const bL = low;
  const zH = view.getInt32(at + 28, true);
  const zL = view.getInt32(at + 24, true);
  add(seedHigh, seedLow, view.getInt32(at + 4, true), view.getInt32(at, true));
  const cH = high;
  const cL = low;
  // b = rotate(b + a + z, 21)
  add(bH, bL, cH, cL);
  add(high, low, zH, zL);
  rotate(high, low, 21);
  const rotatedH = high;
  const rotatedL = low;
  // a += x + y
  add(cH, cL, view.getInt32(at + 12, true), view.getInt32(at + 8, true));
  add(high, low, view.getInt32(at + 20, true), view.getInt32(at + 16, true));
  const aH = high;
  const aL = low;
  // b += rotate(a, 44); then the results b + c and a + z
  rotate(aL, aH, 12);
  add(rotatedH, rotatedL, high, low);
  add(high, low, cH, cL);
  const secondH = high;
  const secondL = low;
  add(aH, aL, zH, zL);
  firstHigh = high;
  firstLow = low;
  high = secondH;
  low = secondL;
}
