import { compactProtocolId, compactVersion } from "../thrift/compact-message.ts";
import { type ThriftType, thriftTypes } from "../thrift/thrift-descriptors.ts";
import { ThriftWriter } from "./thrift-writer.ts";

/** Type number of a false bool in a field's header, which needs no value. A true bool has the number of bools. */
const falseType = 2;

/**
 * Writes Thrift's compact protocol; `CompactCursor` describes the bytes. Source: apache/thrift
 * doc/specs/thrift-compact-protocol.md
 */
export class CompactWriter extends ThriftWriter {
  override message(method: string, type: number): void {
    this.byte(compactProtocolId);
    this.byte((type << 5) | compactVersion);
    this.#varint32(0);
    this.text(method);
  }

  protected override fieldHeader(type: ThriftType, id: number, previousId: number): void {
    this.#header(type, id, previousId);
  }

  protected override boolField(value: boolean, id: number, previousId: number): void {
    this.#header(value ? thriftTypes.bool : falseType, id, previousId);
  }

  /** Writes one byte for up to 14 elements; for more elements, the count follows as a varint. */
  protected override listHeader(elementType: ThriftType, count: number): void {
    if (count < 15) {
      this.byte((count << 4) | elementType);
    } else {
      this.byte(0xf0 | elementType);
      this.#varint32(count);
    }
  }

  protected override int16(value: number): void {
    this.int32((value << 16) >> 16);
  }

  protected override int32(value: number): void {
    this.#varint32((value << 1) ^ (value >> 31));
  }

  /** Zigzag encoding: 0, -1, 1, -2 become 0, 1, 2, 3, so that small numbers are short for both signs. */
  protected override int64(value: bigint): void {
    const signed = BigInt.asIntN(64, value);
    let rest = BigInt.asUintN(64, (signed << 1n) ^ (signed >> 63n));
    while (rest >= 0x80n) {
      this.byte(Number(rest & 0x7fn) | 0x80);
      rest >>= 7n;
    }
    this.byte(Number(rest));
  }

  protected override double(value: number): void {
    const start = this.grow(8);
    this.bytes.writeDoubleLE(value, start);
  }

  protected override text(value: string | Uint8Array): void {
    const content = typeof value === "string" ? Buffer.from(value) : value;
    this.#varint32(content.length);
    const start = this.grow(content.length);
    this.bytes.set(content, start);
  }

  /** Writes one byte if the id is 1 to 15 above the previous id; otherwise the id follows. */
  #header(type: number, id: number, previousId: number): void {
    const delta = id - previousId;
    if (delta > 0 && delta < 16) {
      this.byte((delta << 4) | type);
    } else {
      this.byte(type);
      this.int32(id);
    }
  }

  #varint32(value: number): void {
    let rest = value >>> 0;
    while (rest >= 0x80) {
      this.byte((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    this.byte(rest);
  }
}
