import { WireError } from "../errors.ts";

/** Numbers of types in the binary protocol. */
const types = {
  stop: 0,
  bool: 2,
  byte: 3,
  double: 4,
  i16: 6,
  i32: 8,
  i64: 10,
  string: 11,
  struct: 12,
  map: 13,
  set: 14,
  list: 15,
} as const;

const widths: Readonly<Record<number, number>> = {
  [types.bool]: 1,
  [types.byte]: 1,
  [types.double]: 8,
  [types.i16]: 2,
  [types.i32]: 4,
  [types.i64]: 8,
};

/** Smallest encoding of a value whose length varies. */
const leastBytes: Readonly<Record<number, number>> = {
  [types.string]: 4,
  [types.struct]: 1,
  [types.map]: 6,
  [types.set]: 5,
  [types.list]: 5,
};

/** Deepest nesting of values, as in Apache's readers; our structs need 6. */
const maxDepth = 64;

/**
 * Walks over a value of Thrift's binary protocol and makes sure that every length and count in it keeps within the
 * bytes, before thriftrw reads it: thriftrw trusts them, goes backwards for a negative length (for ever, in a field
 * that it skips) and recurses as deep as the sender likes.
 * Source: apache/thrift doc/specs/thrift-binary-protocol.md
 */
export class BinaryChecker {
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
    return this.#bytes.readUInt8(this.#take(1));
  }

  int32(): number {
    return this.#bytes.readInt32BE(this.#take(4));
  }

  text(length: number): string {
    const start = this.#take(length);
    return this.#bytes.toString("utf8", start, start + length);
  }

  /**
   * Passes over a struct.
   * @throws WireError WIRE_TRUNCATED, WIRE_MALFORMED (a type that does not exist), WIRE_TOO_DEEP
   */
  checkStruct(depth = 0): void {
    if (depth > maxDepth) {
      throw new WireError("WIRE_TOO_DEEP", `values are nested deeper than ${maxDepth}`);
    }
    for (;;) {
      const type = this.byte();
      if (type === types.stop) {
        return;
      }
      this.#take(2); // The field's id.
      this.#checkValues(type, 1, depth + 1);
    }
  }

  #checkValues(type: number, count: number, depth: number): void {
    const width = widths[type];
    if (width !== undefined) {
      this.#take(width * count);
      return;
    }
    const least = leastBytes[type];
    if (least === undefined) {
      throw new WireError("WIRE_MALFORMED", `unknown binary type ${type} before offset ${this.#offset}`);
    }
    this.#checkLeft(least * count);
    for (let index = 0; index < count; index++) {
      this.#checkVariable(type, depth);
    }
  }

  #checkVariable(type: number, depth: number): void {
    switch (type) {
      case types.string:
        this.#take(this.int32());
        return;
      case types.struct:
        this.checkStruct(depth);
        return;
      case types.map:
        this.#checkMap(depth);
        return;
      default:
        this.#checkList(depth);
    }
  }

  #checkList(depth: number): void {
    const type = this.byte();
    const count = this.#count();
    if (count > 0) {
      this.#checkNested(type, count, depth);
    }
  }

  #checkMap(depth: number): void {
    const keyType = this.byte();
    const valueType = this.byte();
    const count = this.#count();
    this.#checkLeft(count * 2);
    for (let index = 0; index < count; index++) {
      this.#checkNested(keyType, 1, depth);
      this.#checkNested(valueType, 1, depth);
    }
  }

  #checkNested(type: number, count: number, depth: number): void {
    if (depth > maxDepth) {
      throw new WireError("WIRE_TOO_DEEP", `values are nested deeper than ${maxDepth}`);
    }
    this.#checkValues(type, count, depth + 1);
  }

  #count(): number {
    const count = this.int32();
    if (count < 0) {
      throw new WireError("WIRE_MALFORMED", `count ${count} before offset ${this.#offset} is negative`);
    }
    return count;
  }

  #checkLeft(length: number): void {
    if (length < 0) {
      throw new WireError("WIRE_MALFORMED", `length ${length} before offset ${this.#offset} is negative`);
    }
    const left = this.#bytes.length - this.#offset;
    if (length > left) {
      throw new WireError("WIRE_TRUNCATED", `${length} bytes wanted at offset ${this.#offset}, ${left} left`);
    }
  }

  /** @returns where the next `length` bytes begin, having passed over them */
  #take(length: number): number {
    this.#checkLeft(length);
    const start = this.#offset;
    this.#offset = start + length;
    return start;
  }
}
