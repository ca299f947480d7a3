import { toDuration, toTimestamp } from "../api-v2/nano-times.ts";
import { beginMessage, endMessage, writeInt53 } from "../protobuf/proto-writer.ts";
import type { ByteWriter } from "../rows/byte-writer.ts";

const microsPerSecond = 1_000_000;
/** Limit for exact divisions: the quotient of a larger number may be rounded up to the next whole number. */
const maxExactMicros = 2 ** 51;

/** Writes microseconds since 1970 as a field of type `Timestamp`. @param low,high halves of the 64-bit number */
export function writeTimestamp(out: ByteWriter, tag: number, low: number, high: number): void {
  const start = beginMessage(out, tag, 1);
  const micros = microsOf(low, high);
  if (Math.abs(micros) <= maxExactMicros) {
    writeParts(out, micros, Math.floor(micros / microsPerSecond));
  } else {
    const { seconds, nanos } = toTimestamp(nanosOf(low, high));
    writeSecondsAndNanos(out, Number(seconds), nanos);
  }
  endMessage(out, start, 1);
}

/**
 * Like `writeTimestamp`, but for type `Duration`, whose parts have the same sign: -1.5 s is -1 s and -500,000,000 ns.
 */
export function writeDuration(out: ByteWriter, tag: number, low: number, high: number): void {
  const start = beginMessage(out, tag, 1);
  const micros = microsOf(low, high);
  if (Math.abs(micros) <= maxExactMicros) {
    writeParts(out, micros, Math.trunc(micros / microsPerSecond));
  } else {
    const { seconds, nanos } = toDuration(nanosOf(low, high));
    writeSecondsAndNanos(out, Number(seconds), nanos);
  }
  endMessage(out, start, 1);
}

/** Exact up to 2^53. */
function microsOf(low: number, high: number): number {
  return (high | 0) * 0x1_0000_0000 + (low >>> 0);
}

function nanosOf(low: number, high: number): bigint {
  return ((BigInt(high) << 32n) | BigInt(low >>> 0)) * 1_000n;
}

function writeParts(out: ByteWriter, micros: number, seconds: number): void {
  writeSecondsAndNanos(out, seconds, (micros - seconds * microsPerSecond) * 1_000);
}

function writeSecondsAndNanos(out: ByteWriter, seconds: number, nanos: number): void {
  if (seconds !== 0) {
    out.uint8(0x08);
    writeInt53(out, seconds);
  }
  if (nanos !== 0) {
    out.uint8(0x10);
    writeInt53(out, nanos);
  }
}
