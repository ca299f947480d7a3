import { WireError } from "../errors.ts";

/** Value of each hex digit, upper or lower case, by its ASCII code; 255 for every other byte. */
export const hexValues = new Uint8Array(256).fill(255);
for (const [value, digit] of Buffer.from("0123456789abcdef").entries()) {
  hexValues[digit] = value;
}
for (const [value, digit] of Buffer.from("ABCDEF").entries()) {
  hexValues[digit] = value + 10;
}

const initialBytes = 64 * 1024;
const leastGrownBytes = 1024;
/**
 * Size limit in bytes for keeping the buffer. If a large batch made a buffer larger than this, its memory is freed at
 * the next `clear`.
 */
const defaultKeptBytes = 8 * 1024 * 1024;

/** Size limit in bytes for copying in JavaScript; the platform copies longer pieces. */
const wordsBytes = 512;
/** Length limit of zeros that are written in JavaScript; the platform fills longer runs. */
const longZeros = 64;

/** Number of bytes reserved for a string's length while it is unknown; they suffice below 16 KiB. */
const slotBytes = 2;

/** Default limit for the rows of one batch: 256 MiB. */
export const defaultMaxRowsBytes = 256 * 1024 * 1024;

/**
 * A buffer that grows up to `maxBytes` while RowBinary values are written to its end.
 *
 * The inner loops of transcoders may use `buffer` and `length` directly. After `reserve(n)`, they may write up to `n`
 * bytes at `buffer[length]`, and must then increase `length`. `reserve` may replace `buffer` by a larger one.
 *
 * Source: ClickHouse documentation, "RowBinary": strings and arrays start with an unsigned LEB128 length,
 * numbers are little-endian.
 */
export class ByteWriter {
  buffer: Buffer;
  /** The same memory as `buffer`. */
  view: DataView;
  length = 0;
  readonly #maxBytes: number;
  readonly #keptBytes: number;
  readonly #firstBytes: number;
  /** Bytes of `buffer`. This separate field is faster, and every write reads it. */
  #capacity: number;

  /**
   * @param keptBytes size limit for keeping the buffer; a larger buffer is freed at the next `clear`
   * @param firstBytes initial size
   */
  constructor(maxBytes = defaultMaxRowsBytes, keptBytes = defaultKeptBytes, firstBytes = initialBytes) {
    this.#maxBytes = maxBytes;
    this.#keptBytes = keptBytes;
    this.#firstBytes = Math.min(firstBytes, maxBytes);
    this.buffer = Buffer.allocUnsafeSlow(this.#firstBytes);
    this.#capacity = this.buffer.length;
    this.view = viewOf(this.buffer);
  }

  /** View of the written bytes, valid until `clear`. */
  get bytes(): Uint8Array {
    return this.buffer.subarray(0, this.length);
  }

  clear(): void {
    this.length = 0;
    if (this.buffer.length > this.#keptBytes) {
      this.#use(Buffer.allocUnsafeSlow(this.#firstBytes));
    }
  }

  /**
   * Reserves space for `count` more bytes.
   * @throws WireError WIRE_TOO_LARGE when the size would exceed `maxBytes`
   */
  reserve(count: number): void {
    if (this.length + count > this.#capacity) {
      this.#grow(this.length + count);
    }
  }

  #grow(wanted: number): void {
    if (wanted > this.#maxBytes) {
      throw new WireError(
        "WIRE_TOO_LARGE",
        `rows of ${wanted} bytes are over maxRowsBytes ${this.#maxBytes}`,
      );
    }
    const bytes = Math.max(wanted, this.buffer.length * 2, leastGrownBytes);
    const grown = Buffer.allocUnsafeSlow(Math.min(bytes, this.#maxBytes));
    this.buffer.copy(grown, 0, 0, this.length);
    this.#use(grown);
  }

  uint8(value: number): void {
    this.reserve(1);
    this.buffer[this.length++] = value;
  }

  uint32(value: number): void {
    this.reserve(4);
    this.view.setUint32(this.length, value, true);
    this.length += 4;
  }

  float64(value: number): void {
    this.reserve(8);
    this.view.setFloat64(this.length, value, true);
    this.length += 8;
  }

  /** Writes the low 64 bits and ignores higher bits. */
  int64(value: bigint): void {
    this.reserve(8);
    this.view.setBigInt64(this.length, value, true);
    this.length += 8;
  }

  /** Writes an unsigned LEB128 number below 2^32, such as a length. */
  varint(value: number): void {
    this.reserve(5);
    let rest = value;
    while (rest >= 0x80) {
      this.buffer[this.length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.buffer[this.length++] = rest;
  }

  /** Writes length and UTF-8 bytes. A lone surrogate, which UTF-8 cannot represent, becomes U+FFFD. */
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
        if (code >= 0x80) {
          break;
        }
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

  /** Writes UTF-8 bytes without their length. A lone surrogate becomes U+FFFD. */
  utf8(value: string): void {
    const { length } = value;
    if (length < 64) {
      this.reserve(length);
      const { buffer } = this;
      let index = 0;
      for (; index < length; index++) {
        const code = value.charCodeAt(index);
        if (code >= 0x80) {
          break;
        }
        buffer[this.length + index] = code;
      }
      if (index === length) {
        this.length += length;
        return;
      }
    }
    this.reserve(Buffer.byteLength(value));
    this.length += this.buffer.write(value, this.length);
  }

  /**
   * Writes the bytes `source[start, end)` without a length.
   * @param view view of the same memory as `source`
   * @returns as `text`
   */
  textBytes(source: Uint8Array, view: DataView, start: number, end: number): boolean {
    const length = end - start;
    if (length > wordsBytes) {
      this.words(view, start, length);
      return false;
    }
    this.reserve(length);
    return this.#shortText(source, view, start, end);
  }

  /**
   * Writes `source[start, end)` as a string: its length, then its bytes.
   * @param view view of the same memory as `source`
   * @returns false when a byte may not be ASCII, so that the caller must check the bytes for UTF-8
   */
  text(source: Uint8Array, view: DataView, start: number, end: number): boolean {
    const length = end - start;
    if (length > wordsBytes) {
      this.varint(length);
      this.words(view, start, length);
      return false;
    }
    this.reserve(length + 2);
    const target = this.buffer;
    let position = this.length;
    if (length < 0x80) {
      target[position++] = length;
    } else {
      target[position++] = (length & 0x7f) | 0x80;
      target[position++] = length >>> 7;
    }
    this.length = position;
    return this.#shortText(source, view, start, end);
  }

  /**
   * Reserves space for the length of a string whose bytes follow.
   * @returns position for `endString`
   */
  beginString(): number {
    this.reserve(slotBytes);
    const at = this.length;
    this.length = at + slotBytes;
    return at;
  }

  /**
   * Fills in the length of the string that `beginString` began. If the length needs more bytes than were reserved, the
   * string is moved. LEB128 allows a length to have more bytes than necessary: `83 00` is 3.
   * @returns position of the string's bytes after the call
   */
  endString(at: number): number {
    const start = at + slotBytes;
    const length = this.length - start;
    if (length === 0) {
      this.buffer[at] = 0;
      this.length = at + 1;
      return this.length;
    }
    if (length < 0x4000) {
      this.buffer[at] = (length & 0x7f) | 0x80;
      this.buffer[at + 1] = length >>> 7;
      return start;
    }
    const end = this.length;
    this.reserve(5);
    this.length = at;
    // A length with more bytes would overwrite the string's first bytes, so the string is moved first.
    const lengthBytes = varintBytes(length);
    this.buffer.copyWithin(at + lengthBytes, start, end);
    this.varint(length);
    this.length += length;
    return at + lengthBytes;
  }

  /** Copies `source[start, end)` unchanged, without a length. */
  copy(source: Uint8Array, start: number, end: number): void {
    const count = end - start;
    this.reserve(count);
    if (count < 32) {
      const { buffer } = this;
      let position = this.length;
      for (let index = start; index < end; index++) {
        buffer[position++] = source[index] as number;
      }
    } else {
      // `subarray` of a Buffer would cost more than the copy.
      this.buffer.set(new Uint8Array(source.buffer, source.byteOffset + start, count), this.length);
    }
    this.length += count;
  }

  /**
   * Copies `view[start, start + count)`, at least 4 bytes; the last bytes may be copied twice. Up to about a hundred
   * bytes, this is faster than `Buffer.set`.
   */
  words(view: DataView, start: number, count: number): void {
    this.reserve(count);
    if (count > wordsBytes) {
      this.buffer.set(new Uint8Array(view.buffer, view.byteOffset + start, count), this.length);
      this.length += count;
      return;
    }
    const target = this.view;
    const shift = this.length - start;
    const last = start + count - 4;
    for (let index = start; index < last; index += 4) {
      target.setInt32(index + shift, view.getInt32(index, true), true);
    }
    target.setInt32(last + shift, view.getInt32(last, true), true);
    this.length += count;
  }

  /** Copies the id of `length` bytes at `view[start]`; writes zeros when `start` is -1. */
  id(view: DataView, start: number, length: number): void {
    if (start === -1) {
      this.zeros(length);
    } else {
      this.words(view, start, length);
    }
  }

  /** Writes `byteCount` bytes from `2 * byteCount` hex digits. */
  hex(digits: string, byteCount: number): void {
    this.reserve(byteCount);
    const { buffer } = this;
    let bits = digits.length === byteCount * 2 ? 0 : 0xff;
    for (let index = 0; index < byteCount && bits < 16; index++) {
      const high = hexValues[digits.charCodeAt(index * 2)] ?? 0xff;
      const low = hexValues[digits.charCodeAt(index * 2 + 1)] ?? 0xff;
      bits |= high | low;
      buffer[this.length + index] = (high << 4) | low;
    }
    if (bits > 15) {
      throw new WireError("WIRE_BAD_ID", `id ${JSON.stringify(digits)} is not ${byteCount * 2} hex digits`);
    }
    this.length += byteCount;
  }

  zeros(count: number): void {
    this.reserve(count);
    if (count > longZeros) {
      this.buffer.fill(0, this.length, this.length + count);
      this.length += count;
      return;
    }
    for (const end = this.length + count; this.length < end; this.length++) {
      this.buffer[this.length] = 0;
    }
  }

  /**
   * Copies `source[start, end)`, a few hundred bytes at most. The caller has made room.
   * @returns true when all bytes are ASCII
   */
  #shortText(source: Uint8Array, view: DataView, start: number, end: number): boolean {
    const position = this.length;
    this.length = position + end - start;
    let bits = 0;
    const shift = position - start;
    if (end - start >= 4) {
      // Copies four bytes at a time; the last four may include bytes that were already copied. Transcoders spend most
      // time in this loop.
      const target = this.view;
      const last = end - 4;
      for (let index = start; index < last; index += 4) {
        const four = view.getInt32(index, true);
        bits |= four;
        target.setInt32(index + shift, four, true);
      }
      const four = view.getInt32(last, true);
      bits |= four;
      target.setInt32(last + shift, four, true);
      bits |= bits >>> 16;
      bits |= bits >>> 8;
    } else {
      const target = this.buffer;
      for (let index = start; index < end; index++) {
        const byte = source[index] as number;
        bits |= byte;
        target[index + shift] = byte;
      }
    }
    return (bits & 0x80) === 0;
  }

  #use(buffer: Buffer): void {
    this.buffer = buffer;
    this.#capacity = buffer.length;
    this.view = viewOf(buffer);
  }
}

/** Number of bytes that `ByteWriter.varint` writes. */
export function varintBytes(value: number): number {
  let count = 1;
  for (let rest = value; rest >= 0x80; rest >>>= 7) {
    count++;
  }
  return count;
}

function viewOf(buffer: Buffer): DataView {
  return new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
}
