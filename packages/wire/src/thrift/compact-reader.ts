import { WireError } from "../errors.ts";
import type { I64 } from "./thrift-structs.ts";

/** Numbers of types in the compact protocol. */
export const compactTypes = {
  stop: 0,
  true: 1,
  false: 2,
  byte: 3,
  i16: 4,
  i32: 5,
  i64: 6,
  double: 7,
  binary: 8,
  list: 9,
  set: 10,
  map: 11,
  struct: 12,
} as const;

/** Deepest nesting of values that are skipped, since the IDL does not know them; as in Apache's readers. */
const maxDepth = 64;

/**
 * Reads the values of Thrift's compact protocol, one after the other. Every method throws WireError WIRE_TRUNCATED
 * when the bytes end early.
 * Source: apache/thrift doc/specs/thrift-compact-protocol.md
 */
export class CompactReader {
  readonly #bytes: Buffer;
  #offset: number;

  constructor(bytes: Buffer, offset = 0) {
    this.#bytes = bytes;
    this.#offset = offset;
  }

  /** Index of the next byte. */
  get offset(): number {
    return this.#offset;
  }

  byte(): number {
    const value = this.#bytes[this.#offset];
    if (value === undefined) {
      throw this.#truncated(1);
    }
    this.#offset++;
    return value;
  }

  /** An unsigned varint of at most 32 bits. @throws WireError WIRE_MALFORMED after 5 bytes */
  varint32(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) {
        return value >>> 0;
      }
    }
    throw new WireError("WIRE_MALFORMED", `varint at offset ${this.#offset} is longer than 5 bytes`);
  }

  /** A signed integer of 16 or 32 bits. */
  zigzag32(): number {
    const value = this.varint32();
    return (value >>> 1) ^ -(value & 1);
  }

  /** A signed integer of 64 bits. @throws WireError WIRE_MALFORMED after 10 bytes */
  zigzag64(): I64 {
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.byte();
      const bits = byte & 0x7f;
      if (shift < 28) {
        low |= bits << shift;
      } else if (shift === 28) {
        low |= bits << 28;
        high = bits >>> 4;
      } else {
        high |= bits << (shift - 32);
      }
      if (byte < 0x80) {
        const sign = -(low & 1);
        return { high: (high >>> 1) ^ sign, low: ((low >>> 1) | (high << 31)) ^ sign };
      }
    }
    throw new WireError("WIRE_MALFORMED", `varint at offset ${this.#offset} is longer than 10 bytes`);
  }

  double(): number {
    return this.#bytes.readDoubleLE(this.#take(8));
  }

  /** Bytes that are not UTF-8 become U+FFFD. */
  string(): string {
    const length = this.varint32();
    const start = this.#take(length);
    return this.#bytes.toString("utf8", start, start + length);
  }

  /** A copy. */
  binary(): Buffer {
    const length = this.varint32();
    const start = this.#take(length);
    return Buffer.from(this.#bytes.subarray(start, start + length));
  }

  /**
   * The header of a list or set.
   * @throws WireError WIRE_TRUNCATED when it promises more elements than bytes are left: each has at least one
   */
  listHeader(): { type: number; count: number } {
    const header = this.byte();
    const short = header >>> 4;
    const count = short === 15 ? this.varint32() : short;
    this.#checkCount(count, 1);
    return { type: header & 0x0f, count };
  }

  /** Passes over a value of a compact type. @throws WireError WIRE_TOO_DEEP, WIRE_MALFORMED */
  skip(type: number, depth = 0): void {
    if (depth > maxDepth) {
      throw new WireError("WIRE_TOO_DEEP", `values are nested deeper than ${maxDepth}`);
    }
    switch (type) {
      case compactTypes.true:
      case compactTypes.false:
        return; // The type is the value.
      case compactTypes.byte:
        this.#take(1);
        return;
      case compactTypes.i16:
      case compactTypes.i32:
      case compactTypes.i64:
        this.zigzag64();
        return;
      case compactTypes.double:
        this.#take(8);
        return;
      case compactTypes.binary:
        this.#take(this.varint32());
        return;
      case compactTypes.list:
      case compactTypes.set:
        this.#skipList(depth);
        return;
      case compactTypes.map:
        this.#skipMap(depth);
        return;
      case compactTypes.struct:
        this.#skipStruct(depth);
        return;
      default:
        throw new WireError("WIRE_MALFORMED", `unknown compact type ${type} before offset ${this.#offset}`);
    }
  }

  #skipList(depth: number): void {
    const { type, count } = this.listHeader();
    for (let index = 0; index < count; index++) {
      this.#skipElement(type, depth + 1);
    }
  }

  #skipMap(depth: number): void {
    const count = this.varint32();
    if (count === 0) {
      return;
    }
    const types = this.byte();
    this.#checkCount(count, 2);
    for (let index = 0; index < count; index++) {
      this.#skipElement(types >>> 4, depth + 1);
      this.#skipElement(types & 0x0f, depth + 1);
    }
  }

  #skipStruct(depth: number): void {
    for (;;) {
      const header = this.byte();
      const type = header & 0x0f;
      if (type === compactTypes.stop) {
        return;
      }
      if (header >>> 4 === 0) {
        this.zigzag32();
      }
      this.skip(type, depth + 1);
    }
  }

  /** In containers a bool is a byte of its own. */
  #skipElement(type: number, depth: number): void {
    this.skip(type === compactTypes.true || type === compactTypes.false ? compactTypes.byte : type, depth);
  }

  #checkCount(count: number, bytesEach: number): void {
    if (count * bytesEach > this.#bytes.length - this.#offset) {
      throw this.#truncated(count * bytesEach);
    }
  }

  /** @returns where the next `length` bytes begin, having passed over them */
  #take(length: number): number {
    const start = this.#offset;
    if (length > this.#bytes.length - start) {
      throw this.#truncated(length);
    }
    this.#offset = start + length;
    return start;
  }

  #truncated(wanted: number): WireError {
    return new WireError(
      "WIRE_TRUNCATED",
      `${wanted} bytes wanted at offset ${this.#offset}, ${this.#bytes.length - this.#offset} left`,
    );
  }
}
