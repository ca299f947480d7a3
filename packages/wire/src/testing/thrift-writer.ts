import type { I64 } from "../thrift/i64.ts";
import {
  type ThriftField,
  type ThriftStruct,
  type ThriftType,
  thriftTypes,
} from "../thrift/thrift-descriptors.ts";

/**
 * Writes Thrift values in either protocol. The code is not optimized for speed, because it is for exports, load
 * generators and tests.
 */
export abstract class ThriftWriter {
  protected bytes: Buffer = Buffer.allocUnsafe(1_024);
  #length = 0;

  /** A copy of the written bytes. */
  take(): Buffer {
    return Buffer.from(this.bytes.subarray(0, this.#length));
  }

  /**
   * Starts a message; its arguments must follow as a struct. The sequence number is 0.
   * @param type a value of `messageTypes`
   */
  abstract message(method: string, type: number): void;

  /** Writes the defined fields in the order of the IDL, and the end of the struct. */
  struct(struct: ThriftStruct, values: object): void {
    let previousId = 0;
    for (const field of Object.values(struct.fields)) {
      const value = (values as Readonly<Record<string, unknown>>)[field.member];
      if (value === undefined) {
        continue;
      }
      if (typeof value === "boolean") {
        this.boolField(value, field.id, previousId);
      } else {
        this.fieldHeader(field.type, field.id, previousId);
        this.#value(field, field.type, value);
      }
      previousId = field.id;
    }
    this.byte(0);
  }

  /** Writes a list of structs: the value of a field, or a whole message. */
  structs(struct: ThriftStruct, values: readonly object[]): void {
    this.listHeader(thriftTypes.struct, values.length);
    for (const value of values) {
      this.struct(struct, value);
    }
  }

  /** @param previousId id of the previous field in the struct; 0 for the first field */
  protected abstract fieldHeader(type: ThriftType, id: number, previousId: number): void;
  protected abstract boolField(value: boolean, id: number, previousId: number): void;
  protected abstract listHeader(elementType: ThriftType, count: number): void;
  /** Writes the low 16 bits. */
  protected abstract int16(value: number): void;
  protected abstract int32(value: number): void;
  /** Writes the low 64 bits. */
  protected abstract int64(value: bigint): void;
  protected abstract double(value: number): void;
  /** Writes a string or bytes, which have the same form in Thrift. */
  protected abstract text(value: string | Uint8Array): void;

  protected byte(value: number): void {
    const start = this.grow(1);
    this.bytes[start] = value;
  }

  /** Reserves space and may replace the buffer. @returns start of the space */
  protected grow(count: number): number {
    const start = this.#length;
    this.#length += count;
    if (this.#length > this.bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#length, this.bytes.length * 2));
      this.bytes.copy(larger, 0, 0, start);
      this.bytes = larger;
    }
    return start;
  }

  #value(field: ThriftField, type: ThriftType, value: unknown): void {
    switch (type) {
      case thriftTypes.i16:
        this.int16(value as number);
        break;
      case thriftTypes.i32:
        this.int32(value as number);
        break;
      case thriftTypes.i64:
        this.int64(typeof value === "bigint" ? value : bigintOf(value as I64));
        break;
      case thriftTypes.double:
        this.double(value as number);
        break;
      case thriftTypes.string:
        this.text(value as string | Uint8Array);
        break;
      case thriftTypes.struct:
        this.struct(structOf(field), value as object);
        break;
      case thriftTypes.list:
        this.#list(field, value as readonly unknown[]);
        break;
      default:
        throw new Error(`${field.label}: values of type ${type} are not written yet`);
    }
  }

  #list(field: ThriftField, values: readonly unknown[]): void {
    if (field.elementType === undefined) {
      throw new Error(`${field.label} is no list`);
    }
    this.listHeader(field.elementType, values.length);
    for (const value of values) {
      this.#value(field, field.elementType, value);
    }
  }
}

function structOf({ struct, label }: ThriftField): ThriftStruct {
  if (struct === undefined) {
    throw new Error(`${label} holds no struct`);
  }
  return struct;
}

function bigintOf({ high, low }: I64): bigint {
  return (BigInt(high) << 32n) | BigInt(low >>> 0);
}
