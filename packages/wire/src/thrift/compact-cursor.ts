import { compactProtocolId, compactVersion } from "./compact-message.ts";
import { malformed, ThriftCursor } from "./thrift-cursor.ts";
import { thriftTypes } from "./thrift-descriptors.ts";

/** Type number of a false bool in a field header. A true bool has the number of bools, 1. */
const falseType = 2;

/**
 * A reading position in bytes of Thrift's compact protocol.
 *
 * | Part | Bytes | Example |
 * |---|---|---|
 * | number of 16 to 64 bits | zigzag, then a varint | -2 is 3: `03`; 64 is 128: `80 01` |
 * | field | (id - previous id) * 16 + type | `15` is an i32 whose id is the previous id plus one |
 * | field whose id is not 1 to 15 above the previous | type, then the id as zigzag varint | `05 28` is an i32, id 20 |
 * | bool field | type 1 (true) or 2 (false), no value | `21` is true, with the previous id plus two |
 * | string | length as varint, then its bytes | `02 68 69` is "hi" |
 * | list of up to 14 elements | count * 16 + element type | `2c` has two structs |
 * | longer list | `f` and element type, then the count as varint | `fc 10` has 16 structs |
 * | end of a struct | `00` | |
 *
 * Source: apache/thrift doc/specs/thrift-compact-protocol.md
 */
export class CompactCursor extends ThriftCursor {
  /** The value of the bool field whose header was read last. */
  #fieldBool = false;

  /**
   * Reads the byte `82`, type and version in one byte, sequence number and method: `82 81 00 09 emitBatch` is ONEWAY.
   */
  override message(): number {
    const protocol = this.#byte();
    if (protocol !== compactProtocolId) {
      throw malformed(`first byte 0x${protocol.toString(16)} is not compact Thrift's 0x82`);
    }
    const second = this.#byte();
    if ((second & 0x1f) !== compactVersion) {
      throw malformed(`compact version ${second & 0x1f} is not ${compactVersion}`);
    }
    this.#varint32(); // The sequence number is ignored, because messages are not answered.
    this.string();
    return second >>> 5;
  }

  override field(previousId: number): boolean {
    const header = this.#byte();
    const type = header & 0x0f;
    if (type === 0) {
      return false;
    }
    const delta = header >>> 4;
    this.fieldId = delta === 0 ? this.int32() : previousId + delta;
    this.#fieldBool = type === thriftTypes.bool;
    this.fieldType = type === falseType ? thriftTypes.bool : type;
    return true;
  }

  override bool(): boolean {
    return this.#fieldBool;
  }

  override int32(): number {
    const value = this.#varint32();
    return (value >>> 1) ^ -(value & 1);
  }

  /**
   * Reads a zigzag varint of up to 10 bytes in halves, without a bigint. Byte 5 (shift 28) contains four bits of the
   * low half and three bits of the high half.
   */
  override int64(): void {
    const { bytes, end } = this;
    let low = 0;
    let high = 0;
    let { position } = this;
    for (let shift = 0; shift < 70; shift += 7) {
      if (position >= end) {
        this.position = position;
        throw this.truncated(1);
      }
      const byte = bytes[position++] as number;
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
        this.position = position;
        const sign = -(low & 1);
        this.high = (high >>> 1) ^ sign;
        this.low = ((low >>> 1) | (high << 31)) ^ sign;
        return;
      }
    }
    throw malformed(`varint before offset ${position} is longer than 10 bytes`);
  }

  override double(): number {
    return this.view.getFloat64(this.take(8), true);
  }

  override string(): void {
    const length = this.#varint32();
    this.start = this.take(length);
    this.stop = this.position;
  }

  /**
   * A header with more elements than the remaining bytes allow is malformed, so a count never reserves too much memory.
   */
  override list(): void {
    const header = this.#byte();
    const short = header >>> 4;
    const type = header & 0x0f;
    this.count = short === 15 ? this.#varint32() : short;
    this.elementType = type === falseType ? thriftTypes.bool : type;
    this.checkCount(this.count, 1);
  }

  /** An empty map has only its count. Otherwise one byte contains both types: key type * 16 + value type. */
  protected override map(): number {
    this.count = this.#varint32();
    if (this.count === 0) {
      return 0;
    }
    const types = this.#byte();
    this.checkCount(this.count, 2);
    return types;
  }

  protected override skipPlain(type: number): boolean {
    switch (type) {
      case thriftTypes.bool:
      case falseType:
      case thriftTypes.byte:
        // In containers a bool is a separate byte.
        this.take(1);
        return true;
      case thriftTypes.i16:
      case thriftTypes.i32:
      case thriftTypes.i64:
        this.int64();
        return true;
      case thriftTypes.double:
        this.take(8);
        return true;
      case thriftTypes.uuid:
        this.take(16);
        return true;
      default:
        return false;
    }
  }

  #byte(): number {
    if (this.position >= this.end) {
      throw this.truncated(1);
    }
    return this.bytes[this.position++] as number;
  }

  /**
   * An unsigned number of up to 5 bytes, with the lowest 7 bits first. @throws WireError WIRE_MALFORMED for a longer
   * number
   */
  #varint32(): number {
    const first = this.#byte();
    if (first < 0x80) {
      return first;
    }
    let value = first & 0x7f;
    for (let shift = 7; shift < 35; shift += 7) {
      const byte = this.#byte();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) {
        return value >>> 0;
      }
    }
    throw malformed(`varint before offset ${this.position} is longer than 5 bytes`);
  }
}
