import { WireError } from "../errors.ts";

const initialBytes = 64 * 1024;
/** A buffer that grew past this for one big batch is given back at the next `clear`. */
const keptBytes = 8 * 1024 * 1024;

/** Most bytes of rows that one batch may become, unless its reader is told otherwise: 256 MiB. */
export const defaultMaxRowsBytes = 256 * 1024 * 1024;

/**
 * A buffer that grows as RowBinary values are written to its end, up to `maxBytes`.
 *
 * `buffer` and `length` are open to the transcoder's inner loops: after `reserve(n)` they may write up to `n` bytes
 * at `buffer[length]` themselves and move `length`. `reserve` may put another buffer in place.
 *
 * Source: ClickHouse documentation, "RowBinary": strings and arrays start with an unsigned LEB128 length, numbers
 * are little-endian.
 */
export class ByteWriter {
  buffer: Buffer = Buffer.allocUnsafeSlow(initialBytes);
  length = 0;
  readonly #maxBytes: number;

  constructor(maxBytes = defaultMaxRowsBytes) {
    this.#maxBytes = maxBytes;
  }

  /** What was written, as a view: valid until `clear`. */
  get bytes(): Uint8Array {
    return this.buffer.subarray(0, this.length);
  }

  clear(): void {
    this.length = 0;
    if (this.buffer.length > keptBytes) this.buffer = Buffer.allocUnsafeSlow(initialBytes);
  }

  /**
   * Makes room for `count` more bytes.
   * @throws WireError WIRE_TOO_LARGE when that would be more than `maxBytes` in all
   */
  reserve(count: number): void {
    const wanted = this.length + count;
    if (wanted <= this.buffer.length) return;
    if (wanted > this.#maxBytes) {
      throw new WireError(
        "WIRE_TOO_LARGE",
        `rows of ${wanted} bytes are over maxRowsBytes ${this.#maxBytes}`,
      );
    }
    const grown = Buffer.allocUnsafeSlow(Math.min(Math.max(wanted, this.buffer.length * 2), this.#maxBytes));
    this.buffer.copy(grown, 0, 0, this.length);
    this.buffer = grown;
  }

  uint8(value: number): void {
    this.reserve(1);
    this.buffer[this.length++] = value;
  }

  uint32(value: number): void {
    this.reserve(4);
    this.length = this.buffer.writeUInt32LE(value >>> 0, this.length);
  }

  /** Writes the low 64 bits, so that a signed value reads back as it is. */
  int64(value: bigint): void {
    this.reserve(8);
    this.length = this.buffer.writeBigInt64LE(BigInt.asIntN(64, value), this.length);
  }

  /** An unsigned LEB128 number: a length, below 2^32. */
  varint(value: number): void {
    this.reserve(5);
    let rest = value;
    while (rest >= 0x80) {
      this.buffer[this.length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.buffer[this.length++] = rest;
  }

  /** Length and UTF-8 bytes; a lone surrogate, which UTF-8 cannot hold, becomes U+FFFD. */
  string(value: string): void {
    const { length } = value;
    if (length < 64) {
      this.reserve(length + 1);
      const { buffer } = this;
      let position = this.length;
      buffer[position++] = length;
      let index = 0;
      for (; index < length; index++) {
        const code = value.charCodeAt(index);
        if (code >= 0x80) break;
        buffer[position++] = code;
      }
      if (index === length) {
        this.length = position;
        return;
      }
    }
    const byteLength = Buffer.byteLength(value);
    this.varint(byteLength);
    this.reserve(byteLength);
    this.length += this.buffer.write(value, this.length);
  }

  /** Copies `source[start, end)` as it is, without a length. */
  copy(source: Uint8Array, start: number, end: number): void {
    const count = end - start;
    this.reserve(count);
    if (count < 32) {
      const { buffer } = this;
      let position = this.length;
      for (let index = start; index < end; index++) buffer[position++] = source[index] as number;
    } else {
      this.buffer.set(source.subarray(start, end), this.length);
    }
    this.length += count;
  }

  /** `byteCount` bytes from `2 * byteCount` hex digits. */
  hex(digits: string, byteCount: number): void {
    this.reserve(byteCount);
    const written = this.buffer.write(digits, this.length, byteCount, "hex");
    if (written !== byteCount || digits.length !== byteCount * 2) {
      throw new WireError("WIRE_BAD_ID", `id ${JSON.stringify(digits)} is not ${byteCount * 2} hex digits`);
    }
    this.length += byteCount;
  }

  zeros(count: number): void {
    this.reserve(count);
    this.buffer.fill(0, this.length, this.length + count);
    this.length += count;
  }
}
