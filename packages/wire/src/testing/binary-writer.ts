import { binaryTypeOf } from "../thrift/binary-types.ts";
import { strictVersion } from "../thrift/message-envelope.ts";
import { type ThriftType, thriftTypes } from "../thrift/thrift-descriptors.ts";
import { ThriftWriter } from "./thrift-writer.ts";

/**
 * Writes Thrift's binary protocol, with messages in the strict form; `BinaryCursor` describes the bytes. Source:
 * apache/thrift doc/specs/thrift-binary-protocol.md
 */
export class BinaryWriter extends ThriftWriter {
  override message(method: string, type: number): void {
    this.int32((strictVersion << 16) | type);
    this.text(method);
    this.int32(0);
  }

  protected override fieldHeader(type: ThriftType, id: number, _previousId: number): void {
    this.byte(binaryTypeOf(type));
    this.int16(id);
  }

  protected override boolField(value: boolean, id: number, previousId: number): void {
    this.fieldHeader(thriftTypes.bool, id, previousId);
    this.byte(value ? 1 : 0);
  }

  /** Writes five bytes: the number of the type, and the count. */
  protected override listHeader(elementType: ThriftType, count: number): void {
    this.byte(binaryTypeOf(elementType));
    this.int32(count);
  }

  /** Big-endian, like all numbers in this protocol. */
  protected override int16(value: number): void {
    const start = this.grow(2);
    this.bytes.writeUInt16BE(value & 0xffff, start);
  }

  protected override int32(value: number): void {
    const start = this.grow(4);
    this.bytes.writeInt32BE(value, start);
  }

  protected override int64(value: bigint): void {
    const start = this.grow(8);
    this.bytes.writeBigUInt64BE(BigInt.asUintN(64, value), start);
  }

  protected override double(value: number): void {
    const start = this.grow(8);
    this.bytes.writeDoubleBE(value, start);
  }

  protected override text(value: string | Uint8Array): void {
    const content = typeof value === "string" ? Buffer.from(value) : value;
    this.int32(content.length);
    const start = this.grow(content.length);
    this.bytes.set(content, start);
  }
}
