/**
 * Reads numbers and byte strings of untrusted input. Methods throw the error of `shortError` when the input ends too
 * early, because readers of frames, TLS and HTTP/3 have different errors.
 */
export class ByteReader {
  readonly bytes: Buffer;
  /** Index of the next byte. */
  at: number;
  readonly end: number;
  readonly #shortError: () => Error;

  constructor(bytes: Buffer, shortError: () => Error, from = 0, end = bytes.length) {
    this.bytes = bytes;
    this.at = from;
    this.end = end;
    this.#shortError = shortError;
  }

  /** Bytes that are not read yet. */
  get left(): number {
    return this.end - this.at;
  }

  u8(): number {
    return this.bytes[this.#advance(1)] as number;
  }

  u16(): number {
    return this.bytes.readUInt16BE(this.#advance(2));
  }

  u24(): number {
    return this.bytes.readUIntBE(this.#advance(3), 3);
  }

  u32(): number {
    return this.bytes.readUInt32BE(this.#advance(4));
  }

  /** A view of the next `length` bytes. */
  take(length: number): Buffer {
    const from = this.#advance(length);
    return this.bytes.subarray(from, from + length);
  }

  /**
   * A variable-length integer. Values over 2^53 - 1 become 2^53 - 1: a limit of that size never takes effect, and an
   * offset or count of that size fails later checks.
   * Source: RFC 9000, section 16
   */
  varint(): number {
    const first = this.u8();
    switch (first >> 6) {
      case 0:
        return first;
      case 1:
        return ((first & 0x3f) << 8) | this.u8();
      case 2: {
        const from = this.#advance(3);
        return ((first & 0x3f) << 24) | this.bytes.readUIntBE(from, 3);
      }
      default: {
        const from = this.#advance(7);
        const high = ((first & 0x3f) * 2 ** 24 + this.bytes.readUIntBE(from, 3)) * 2 ** 32;
        return Math.min(high + this.bytes.readUInt32BE(from + 3), Number.MAX_SAFE_INTEGER);
      }
    }
  }

  #advance(length: number): number {
    const from = this.at;
    if (length > this.end - from) {
      throw this.#shortError();
    }
    this.at = from + length;
    return from;
  }
}
