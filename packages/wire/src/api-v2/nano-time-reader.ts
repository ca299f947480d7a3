import { fieldMask, type ProtoCursor } from "../otlp/proto-cursor.ts";

/** Fields of a `Timestamp`, and of a `Duration`. */
const timeFields = fieldMask(1, 2);

const nanosPerSecond = 1_000_000_000;
const two16 = 0x1_0000;
const two32 = 0x1_0000_0000;

/**
 * Reads `Timestamp` and `Duration` messages as nanoseconds without a bigint. Values over 64 bits wrap around,
 * as in `toNanos`.
 */
export class NanoTimeReader {
  readonly #cursor: ProtoCursor;
  /** Halves of the last nanoseconds; the sign of each half has no meaning. */
  low = 0;
  high = 0;

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
    // Multiplied in pieces of 16 bits, so that no product exceeds 2^53.
    const lower = (secondsLow & 0xffff) * nanosPerSecond + nanos;
    const upper = (secondsLow >>> 16) * nanosPerSecond;
    const upperCarry = Math.floor(upper / two16);
    const sum = lower + (upper - upperCarry * two16) * two16;
    const carry = Math.floor(sum / two32);
    this.low = (sum - carry * two32) | 0;
    // At most 2^47: `|0` takes the low 32 bits.
    this.high = (carry + upperCarry + Math.imul(secondsHigh, nanosPerSecond)) | 0;
  }
}
