import { fieldMask, type ProtoCursor } from "../otlp/proto-cursor.ts";
import { inRange, maxNanos, minNanos } from "./nano-times.ts";

/** Fields of a `Timestamp`, and of a `Duration`. */
const timeFields = fieldMask(1, 2);

const nanosPerSecond = 1_000_000_000;
const two16 = 0x1_0000;
const two32 = 0x1_0000_0000;

/** Up to this number of seconds, the sum in nanoseconds fits into 64 bits for any `nanos`. */
const surelyInRange = 9_223_372_034;

/** Reads `Timestamp` and `Duration` messages as nanoseconds. The result equals `toNanos`, but rarely needs a bigint. */
export class NanoTimeReader {
  readonly #cursor: ProtoCursor;
  /** Low and high 32 bits of the last result; each may be a signed or an unsigned number. */
  low = 0;
  high = 0;
  /**
   * True when the last time was outside the range of 64-bit nanoseconds, and was replaced by the nearest time in this
   * range.
   */
  isClamped = false;

  constructor(cursor: ProtoCursor) {
    this.#cursor = cursor;
  }

  /** Reads a message from the cursor's position to `end`. */
  read(end: number): void {
    const cursor = this.#cursor;
    let secondsLow = 0;
    let secondsHigh = 0;
    let nanos = 0;
    while (cursor.position < end) {
      const tag = cursor.tag(end);
      if (tag === 8) {
        cursor.varint(end);
        secondsLow = cursor.low;
        secondsHigh = cursor.high;
      } else if (tag === 16) {
        nanos = cursor.uint32(end) | 0;
      } else {
        cursor.skip(tag, end, timeFields);
      }
    }
    this.isClamped = false;
    if (Math.abs((secondsHigh | 0) * two32 + (secondsLow >>> 0)) > surelyInRange) {
      this.#readFar((BigInt(secondsHigh | 0) << 32n) | BigInt(secondsLow >>> 0), nanos);
      return;
    }
    // The multiplication uses parts of 16 bits, so that no product exceeds 2^53.
    const lower = (secondsLow & 0xffff) * nanosPerSecond + nanos;
    const upper = (secondsLow >>> 16) * nanosPerSecond;
    const upperCarry = Math.floor(upper / two16);
    const sum = lower + (upper - upperCarry * two16) * two16;
    const carry = Math.floor(sum / two32);
    this.low = (sum - carry * two32) | 0;
    // At most 2^47: `|0` takes the low 32 bits.
    this.high = (carry + upperCarry + Math.imul(secondsHigh, nanosPerSecond)) | 0;
  }

  #readFar(seconds: bigint, nanos: number): void {
    const sent = seconds * BigInt(nanosPerSecond) + BigInt(nanos);
    const kept = inRange(sent);
    this.isClamped = kept !== sent && (kept === maxNanos || kept === minNanos);
    this.low = Number(BigInt.asIntN(32, kept));
    this.high = Number(BigInt.asIntN(32, kept >> 32n));
  }
}
