import { binaryTypes } from "./binary-types.ts";
import { strictVersion } from "./message-envelope.ts";
import { malformed, ThriftCursor } from "./thrift-cursor.ts";
import { thriftTypes } from "./thrift-descriptors.ts";

/** The number in `thriftTypes` for each type of the binary protocol; 0 for unused numbers. */
const typesByNumber = new Uint8Array(17);
for (const [name, type] of Object.entries(thriftTypes)) {
  typesByNumber[binaryTypes[name as keyof typeof binaryTypes]] = type;
}

/** Smallest size of a value in bytes, by the numbers of `thriftTypes`; 0 for types that the protocol does not have. */
const leastBytes = Uint8Array.of(1, 1, 0, 1, 2, 4, 8, 8, 4, 5, 5, 6, 1, 16);

/**
 * A reading position in bytes of Thrift's binary protocol. All numbers are big-endian.
 *
 * | Part | Bytes | Example |
 * |---|---|---|
 * | field | type, then the id in two bytes | `0a 00 03` is an i64 with id 3 |
 * | bool | one byte | `01` is true; any other byte is false |
 * | string | length in four bytes, then its bytes | `00 00 00 02 68 69` is "hi" |
 * | list | element type, then the count in four bytes | `0c 00 00 00 02` has two structs |
 * | map | key type, value type, then the count in four bytes | `0b 0b 00 00 00 00` is empty |
 * | end of a struct | `00` | |
 *
 * Source: apache/thrift doc/specs/thrift-binary-protocol.md
 */
export class BinaryCursor extends ThriftCursor {
  /** @param bytes bytes for `open`; absent: `open` is called later */
  constructor(bytes?: Uint8Array) {
    super();
    if (bytes !== undefined) {
      this.open(bytes);
    }
  }

  /**
   * Reads the strict form (version and type, name, sequence) or the old form (name, type, sequence). The strict form of
   * a ONEWAY begins with `80 01 00 04`. The old form starts with the name's length. A length is never negative, so the
   * first bit tells the forms apart.
   */
  override message(): number {
    const first = this.int32();
    if (first >= 0) {
      this.#string(first);
      const type = this.#byte();
      this.int32(); // The sequence number is only for answers, and these messages get no answer.
      return type;
    }
    if (first >>> 16 !== strictVersion) {
      throw malformed(`binary version 0x${(first >>> 16).toString(16)} is not 0x8001`);
    }
    this.string();
    this.int32();
    return first & 0xff;
  }

  override field(_previousId: number): boolean {
    const number = this.#byte();
    if (number === 0) {
      return false;
    }
    this.fieldType = this.#type(number);
    this.fieldId = this.view.getInt16(this.take(2));
    return true;
  }

  override bool(): boolean {
    return this.#byte() === 1;
  }

  override int32(): number {
    return this.view.getInt32(this.take(4));
  }

  override int64(): void {
    const start = this.take(8);
    this.high = this.view.getInt32(start);
    this.low = this.view.getInt32(start + 4);
  }

  /** The binary protocol is big-endian; the compact protocol is little-endian. */
  override double(): number {
    return this.view.getFloat64(this.take(8));
  }

  override string(): void {
    this.#string(this.int32());
  }

  override list(): void {
    const number = this.#byte();
    this.count = this.#count();
    // An unknown type becomes 0: a known list is read as declared in the IDL, so only a skipped list needs its element
    // type.
    this.elementType = number < typesByNumber.length ? (typesByNumber[number] as number) : 0;
    this.checkCount(this.count, leastBytes[this.elementType] as number);
  }

  protected override map(): number {
    const keyNumber = this.#byte();
    const valueNumber = this.#byte();
    this.count = this.#count();
    this.checkCount(this.count, 2);
    return this.count === 0 ? 0 : this.#type(keyNumber) * 16 + this.#type(valueNumber);
  }

  protected override skipPlain(type: number): boolean {
    switch (type) {
      case thriftTypes.bool:
      case thriftTypes.byte:
      case thriftTypes.i16:
      case thriftTypes.i32:
      case thriftTypes.i64:
      case thriftTypes.double:
      case thriftTypes.uuid:
        this.take(leastBytes[type] as number);
        return true;
      default:
        return false;
    }
  }

  /** Skips `length` bytes; `start` and `stop` are then their bounds. */
  #string(length: number): void {
    if (length < 0) {
      throw malformed(`length ${length} before offset ${this.position} is negative`);
    }
    this.start = this.take(length);
    this.stop = this.position;
  }

  #byte(): number {
    return this.bytes[this.take(1)] as number;
  }

  /** @throws WireError WIRE_MALFORMED for a negative count */
  #count(): number {
    const count = this.int32();
    if (count < 0) {
      throw malformed(`count ${count} before offset ${this.position} is negative`);
    }
    return count;
  }

  /** The number in `thriftTypes`. @throws WireError WIRE_MALFORMED for an unused number */
  #type(number: number): number {
    const type = number < typesByNumber.length ? (typesByNumber[number] as number) : 0;
    if (type === 0) {
      throw malformed(`unknown binary type ${number} before offset ${this.position}`);
    }
    return type;
  }
}
