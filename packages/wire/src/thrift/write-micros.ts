import { toDuration, toTimestamp } from "../api-v2/nano-times.ts";
import { beginMessage, endMessage, writeInt53 } from "../protobuf/proto-writer.ts";
import type { ByteWriter } from "../rows/byte-writer.ts";

const microsPerSecond = 1_000_000;
/** Limit of exact divisions: for larger numbers a division by a million may round up to the next whole number. */
const maxExactMicros = 2 ** 51;

/**
 * Writes microseconds as a field of type `Timestamp` or `Duration`. Seconds and nanoseconds have the same sign.
 * @param tag tag of the field; @param low,high halves of the 64-bit number
 */
export function writeMicros(
  out: ByteWriter,
  tag: number,
  low: number,
  high: number,
  isDuration: boolean,
): void {
  const start = beginMessage(out, tag, 1);
  const micros = (high | 0) * 0x1_0000_0000 + (low >>> 0);
  if (Math.abs(micros) <= maxExactMicros) {
    const quotient = micros / microsPerSecond;
    const seconds = isDuration ? Math.trunc(quotient) : Math.floor(quotient);
    writeSecondsAndNanos(out, seconds, (micros - seconds * microsPerSecond) * 1_000);
  } else {
    const nanos = ((BigInt(high) << 32n) | BigInt(low >>> 0)) * 1_000n;
    const time = isDuration ? toDuration(nanos) : toTimestamp(nanos);
    writeSecondsAndNanos(out, Number(time.seconds), time.nanos);
  }
  endMessage(out, start, 1);
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
