/** Bytes of a variable-length integer. Source: RFC 9000, section 16 */
export function varintBytes(value: number): number {
  return value < 0x40 ? 1 : value < 0x4000 ? 2 : value < 0x4000_0000 ? 4 : 8;
}

/** Writes numbers and byte strings into a buffer that grows. */
export class ByteWriter {
  #bytes: Buffer;
  /** Number of written bytes. */
  length = 0;

  constructor(capacity = 256) {
    this.#bytes = Buffer.allocUnsafe(capacity);
  }

  /** A view of the written bytes; later writes may change it. */
  get written(): Buffer {
    return this.#bytes.subarray(0, this.length);
  }

  u8(value: number): this {
    const at = this.#advance(1);
    this.#bytes[at] = value;
    return this;
  }

  u16(value: number): this {
    const at = this.#advance(2);
    this.#bytes.writeUInt16BE(value, at);
    return this;
  }

  u24(value: number): this {
    const at = this.#advance(3);
    this.#bytes.writeUIntBE(value, at, 3);
    return this;
  }

  u32(value: number): this {
    const at = this.#advance(4);
    this.#bytes.writeUInt32BE(value, at);
    return this;
  }

  varint(value: number): this {
    if (value < 0x40) {
      return this.u8(value);
    }
    if (value < 0x4000) {
      return this.u16(value | 0x4000);
    }
    if (value < 0x4000_0000) {
      return this.u32(value + 0x8000_0000);
    }
    return this.u32(Math.floor(value / 2 ** 32) + 0xc000_0000).u32(value % 2 ** 32);
  }

  /** A variable-length integer of two bytes, whatever its value. A length that becomes known later replaces it. */
  varint2(value: number): this {
    return this.u16(value | 0x4000);
  }

  bytes(bytes: Uint8Array): this {
    const at = this.#advance(bytes.length);
    this.#bytes.set(bytes, at);
    return this;
  }

  zeros(length: number): this {
    const at = this.#advance(length);
    this.#bytes.fill(0, at, at + length);
    return this;
  }

  /** A TLS vector: the bytes that `fill` writes, after their length in `lengthBytes` bytes. */
  vector(lengthBytes: 1 | 2 | 3, fill: (writer: ByteWriter) => void): this {
    const at = this.#advance(lengthBytes);
    fill(this);
    this.#bytes.writeUIntBE(this.length - at - lengthBytes, at, lengthBytes);
    return this;
  }

  /** Replaces the two-byte variable-length integer at `at`. */
  patchVarint2(at: number, value: number): void {
    this.#bytes.writeUInt16BE(value | 0x4000, at);
  }

  #advance(length: number): number {
    const at = this.length;
    if (at + length > this.#bytes.length) {
      const grown = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, at + length));
      this.#bytes.copy(grown, 0, 0, at);
      this.#bytes = grown;
    }
    this.length = at + length;
    return at;
  }
}
