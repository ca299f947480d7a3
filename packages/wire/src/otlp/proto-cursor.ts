import { isUtf8 } from "node:buffer";
import { WireError } from "../errors.ts";

/**
 * Size limit of texts that are decoded in JavaScript, in bytes. For longer texts, Node's functions are faster, although
 * each call creates an object.
 */
const shortBytes = 64;

/**
 * A position in protobuf bytes. A message is read from `position` to its `end`, which the caller knows. Nothing is
 * copied, and reading beyond `end` throws WireError WIRE_TRUNCATED.
 *
 * Source: protobuf.dev, "Encoding".
 */
export class ProtoCursor {
  bytes: Buffer = Buffer.alloc(0);
  position = 0;
  /** Low and high 32 bits of the last 64-bit number; each may be signed or unsigned. */
  low = 0;
  high = 0;
  view: DataView = new DataView(new ArrayBuffer(0));
  /** Length of the last id that `idStart` rejected because of its length. */
  idBytes = 0;
  /** Number of values cut because they were nested too deeply, since the caller last set it to 0. */
  cutValues = 0;

  /** Moves the cursor to the start of other bytes. */
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

  /** Reads the length of a field. @returns position of the field's end; `position` is then its first byte */
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

  /** The low 32 bits of a varint as an unsigned number, for uint32 fields and enums. */
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
   * @param known `fieldMask` of the fields of the message; 0 if an earlier pass has checked all wire types. A known
   * field that reaches this method has a wrong wire type, and skipping it would lose data
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

  /** Reads a string field; bytes that are not UTF-8 become U+FFFD. */
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
   * @returns position of the id's bytes; -1 for a length other than `length`, and then `idBytes` has the length
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

  /** True when `[start, end)` is valid UTF-8. */
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
