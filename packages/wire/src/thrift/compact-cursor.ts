import { compactProtocolId, compactVersion } from "./compact-message.ts";
import { malformed, ThriftCursor } from "./thrift-cursor.ts";
import { thriftTypes } from "./thrift-descriptors.ts";

const falseType = 2;

/**
 * A place in bytes of Thrift's compact protocol.
 * Source: apache/thrift doc/specs/thrift-compact-protocol.md
 */
export class CompactCursor extends ThriftCursor {
  #fieldBool = false;

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

  override list(): void {
    const header = this.#byte();
    const short = header >>> 4;
    const type = header & 0x0f;
    this.count = short === 15 ? this.#varint32() : short;
    this.elementType = type === falseType ? thriftTypes.bool : type;
    this.checkCount(this.count, 1);
  }

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
