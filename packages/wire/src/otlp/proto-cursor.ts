import { isUtf8 } from "node:buffer";
import { WireError } from "../errors.ts";

/**
 * Longest text that is read in JavaScript; for longer ones the platform is faster, although it makes an
 * object for each.
 */
const shortBytes = 64;

/**
 * A position in protobuf bytes. A message is read from `position` to its `end`, which the caller knows.
 * Nothing is copied, and a read past `end` is WireError WIRE_TRUNCATED.
 *
 * Source: protobuf.dev, "Encoding".
 */
export class ProtoCursor {
  bytes: Buffer = Buffer.alloc(0);
  position = 0;
  /** The last 64-bit number's halves, each as an unsigned or signed 32-bit number: only the bits count. */
  low = 0;
  high = 0;
  view: DataView = new DataView(new ArrayBuffer(0));
  /** Length of the last id that `idStart` has passed over for its length. */
  idBytes = 0;
  /** How many values were cut, nested too deep, since the caller set this to 0. */
  cutValues = 0;

  /** Moves to the start of other bytes. */
  open(bytes: Uint8Array): void {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.position = 0;
  }

  /**
   * A field's tag: number * 8 + wire type.
   * @throws WireError WIRE_MALFORMED for field number 0 and for tags over 32 bits
   */
  tag(end: number): number {
    const first = this.position < end ? (this.bytes[this.position] as number) : 0x80;
    if (first >= 8 && first < 0x80) {
      this.position++;
      return first;
    }
    const at = this.position;
    this.varint(end);
    if (this.high !== 0 || this.low >>> 3 === 0) {
      throw new WireError("WIRE_MALFORMED", `bad field tag at byte ${at}`);
    }
    return this.low >>> 0;
  }

  /** Reads the length of a field. @returns where the field ends; `position` is then its first byte */
  fieldEnd(end: number): number {
    const at = this.position;
    let length = at < end ? (this.bytes[at] as number) : 0x80;
    if (length < 0x80) {
      this.position = at + 1;
    } else {
      this.varint(end);
      length = this.high === 0 ? this.low >>> 0 : Number.POSITIVE_INFINITY;
    }
    const fieldEnd = this.position + length;
    if (fieldEnd > end) {
      throw new WireError(
        "WIRE_TRUNCATED",
        `field of ${length} bytes at byte ${at} goes past its end at ${end}`,
      );
    }
    return fieldEnd;
  }

  /**
   * Reads a varint into `low` and `high`.
   * @throws WireError WIRE_MALFORMED after 10 bytes
   */
  varint(end: number): void {
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.position >= end) {
        throw this.#truncated(end);
      }
      const byte = this.bytes[this.position++] as number;
      const bits = byte & 0x7f;
      if (shift < 32) {
        low |= bits << shift;
      }
      if (shift === 28) {
        high = bits >>> 4;
      } else if (shift > 28) {
        high |= bits << (shift - 32);
      }
      if (byte < 0x80) {
        this.low = low;
        this.high = high;
        return;
      }
    }
    throw new WireError("WIRE_MALFORMED", `varint before byte ${this.position} has over 10 bytes`);
  }

  /** The low 32 bits of a varint, unsigned, which is protobuf's reading for a uint32 or an enum. */
  uint32(end: number): number {
    this.varint(end);
    return this.low >>> 0;
  }

  fixed32(end: number): number {
    return this.view.getUint32(this.#advance(4, end), true);
  }

  /** Reads eight bytes into `low` and `high`. */
  fixed64(end: number): void {
    const at = this.#advance(8, end);
    this.low = this.view.getInt32(at, true);
    this.high = this.view.getInt32(at + 4, true);
  }

  double(end: number): number {
    return this.view.getFloat64(this.#advance(8, end), true);
  }

  /**
   * Skips the value of a field with an unknown tag.
   * @param known `fieldMask` of the message's fields. A known field here has a wrong wire type, and to skip
   *   it would lose data. 0 when an earlier pass has checked that
   * @throws WireError WIRE_MALFORMED for a known field, for groups (wire types 3 and 4, which OTLP never had), and
   *   for wire types 6 and 7
   */
  skip(tag: number, end: number, known: number): void {
    const number = tag >>> 3;
    if (number < 32 && ((known >>> number) & 1) !== 0) {
      throw new WireError(
        "WIRE_MALFORMED",
        `field ${number} before byte ${this.position} has wire type ${tag & 7}`,
      );
    }
    switch (tag & 7) {
      case 0:
        this.varint(end);
        return;
      case 1:
        this.#advance(8, end);
        return;
      case 2:
        this.position = this.fieldEnd(end);
        return;
      case 5:
        this.#advance(4, end);
        return;
      default:
        throw new WireError(
          "WIRE_MALFORMED",
          `wire type ${tag & 7} before byte ${this.position} is not accepted`,
        );
    }
  }

  /** A string field; bytes that are not UTF-8 become U+FFFD. */
  string(end: number): string {
    const stop = this.fieldEnd(end);
    const start = this.position;
    this.position = stop;
    if (start === stop) {
      return "";
    }
    return this.bytes.toString("utf8", start, stop);
  }

  /**
   * Skips an id.
   * @returns where its bytes begin, or -1 when its length is not `length`; `idBytes` then has the length
   */
  idStart(end: number, length: number): number {
    const stop = this.fieldEnd(end);
    const start = this.position;
    this.position = stop;
    if (stop - start === length) {
      return start;
    }
    this.idBytes = stop - start;
    return -1;
  }

  /** Whether `[start, end)` is UTF-8. */
  isText(start: number, end: number): boolean {
    return (
      (end - start <= shortBytes && this.#isAscii(start, end)) || isUtf8(this.bytes.subarray(start, end))
    );
  }

  #isAscii(start: number, end: number): boolean {
    const { bytes } = this;
    let bits = 0;
    for (let index = start; index < end; index++) {
      bits |= bytes[index] as number;
    }
    return bits < 0x80;
  }

  #advance(count: number, end: number): number {
    const start = this.position;
    if (start + count > end) {
      throw this.#truncated(end);
    }
    this.position = start + count;
    return start;
  }

  #truncated(end: number): WireError {
    return new WireError("WIRE_TRUNCATED", `message ends at byte ${end}, inside a value`);
  }
}

/** A set of field numbers, each from 1 to 31, as one number: bit n is set for field n. */
export function fieldMask(...numbers: readonly number[]): number {
  let mask = 0;
  for (const number of numbers) {
    mask |= 1 << number;
  }
  return mask;
}
