/** Numbers of types in the binary protocol. */
const types = { i16: 6, i32: 8, i64: 10, string: 11, struct: 12, list: 15 } as const;

/**
 * Writes structs of Thrift's binary protocol, field by field.
 * Source: apache/thrift doc/specs/thrift-binary-protocol.md
 */
export class ThriftBinaryWriter {
  #bytes = Buffer.allocUnsafe(1024);
  #length = 0;

  /** What was written so far; a copy. */
  take(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#length));
  }

  /** A list of structs that is no field. */
  structs<T>(items: readonly T[], write: (writer: this, item: T) => void): void {
    const start = this.#grow(5);
    this.#bytes[start] = types.struct;
    this.#bytes.writeInt32BE(items.length, start + 1);
    for (const item of items) {
      write(this, item);
      this.#stop();
    }
  }

  /** A field that is a list of structs. */
  list<T>(id: number, items: readonly T[], write: (writer: this, item: T) => void): void {
    this.#header(types.list, id);
    this.structs(items, write);
  }

  struct(id: number, write: () => void): void {
    this.#header(types.struct, id);
    write();
    this.#stop();
  }

  /** Writes the low 16 bits. */
  int16(id: number, value: number): void {
    this.#header(types.i16, id);
    const start = this.#grow(2);
    this.#bytes.writeUInt16BE(value & 0xffff, start);
  }

  int32(id: number, value: number): void {
    this.#header(types.i32, id);
    const start = this.#grow(4);
    this.#bytes.writeInt32BE(value, start);
  }

  /** Writes the low 64 bits. */
  int64(id: number, value: bigint): void {
    this.#header(types.i64, id);
    const start = this.#grow(8);
    this.#bytes.writeBigUInt64BE(BigInt.asUintN(64, value), start);
  }

  /** A string, or bytes, which are the same here. */
  text(id: number, value: string | Uint8Array): void {
    this.#header(types.string, id);
    const bytes = typeof value === "string" ? Buffer.from(value) : value;
    const start = this.#grow(4 + bytes.length);
    this.#bytes.writeInt32BE(bytes.length, start);
    this.#bytes.set(bytes, start + 4);
  }

  #header(type: number, id: number): void {
    const start = this.#grow(3);
    this.#bytes[start] = type;
    this.#bytes.writeInt16BE(id, start + 1);
  }

  #stop(): void {
    const start = this.#grow(1);
    this.#bytes[start] = 0;
  }

  /** Makes room, maybe in other bytes than before. @returns where it begins */
  #grow(count: number): number {
    const start = this.#length;
    this.#length += count;
    if (this.#length > this.#bytes.length) {
      const grown = Buffer.allocUnsafe(this.#length * 2);
      grown.set(this.#bytes.subarray(0, start));
      this.#bytes = grown;
    }
    return start;
  }
}
