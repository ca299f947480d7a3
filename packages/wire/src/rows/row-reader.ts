import { WireError } from "../errors.ts";
import { RepeatCache } from "./repeat-cache.ts";

/**
 * Reads RowBinary values in order. `repeatedString` caches recent strings by their bytes, because names and keys repeat
 * in every row, and decoding a string needs a native call.
 *
 * Every read throws WireError WIRE_TRUNCATED when the input ends early.
 */
export class RowReader {
  position = 0;
  readonly bytes: Buffer;
  /** The same memory as `bytes`. */
  readonly view: DataView;
  #strings: RepeatCache<string> | undefined;

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get done(): boolean {
    return this.position >= this.bytes.length;
  }

  uint8(): number {
    return this.bytes[this.#advance(1)] as number;
  }

  uint32(): number {
    return this.view.getUint32(this.#advance(4), true);
  }

  int64(): bigint {
    return this.view.getBigInt64(this.#advance(8), true);
  }

  skip(count: number): void {
    this.#advance(count);
  }

  /** @throws WireError WIRE_MALFORMED for a number of 2^32 or more */
  varint(): number {
    const first = this.uint8();
    if (first < 0x80) {
      return first;
    }
    let value = first & 0x7f;
    for (let factor = 0x80; factor <= 0x1000_0000; factor *= 0x80) {
      const byte = this.uint8();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) {
        return value;
      }
    }
    throw new WireError("WIRE_MALFORMED", `length at byte ${this.position - 5} of the rows has over 5 bytes`);
  }

  hex(byteCount: number): string {
    const start = this.#advance(byteCount);
    return this.bytes.toString("hex", start, start + byteCount);
  }

  string(): string {
    const length = this.varint();
    if (length === 0) {
      return "";
    }
    const start = this.#advance(length);
    return this.bytes.toString("utf8", start, start + length);
  }

  /** Like `string`, for values that many rows share. */
  repeatedString(): string {
    const start = this.skipString();
    return this.repeatedText(start, this.position);
  }

  /** The text of `[start, end)`, which many rows share. Does not move `position`. */
  repeatedText(start: number, end: number): string {
    if (start === end) {
      return "";
    }
    this.#strings ??= new RepeatCache(this.bytes);
    const known = this.#strings.find(start, end);
    if (known !== undefined) {
      return known;
    }
    const text = this.bytes.toString("utf8", start, end);
    this.#strings.keep(start, end, text);
    return text;
  }

  /** @returns start position of the string; afterwards `position` is its end */
  skipString(): number {
    return this.#advance(this.varint());
  }

  /** True when the bytes at `position` equal the bytes of `[start, end)`. */
  repeats(start: number, end: number): boolean {
    const stop = this.position + end - start;
    return stop <= this.bytes.length && this.bytes.compare(this.bytes, start, end, this.position, stop) === 0;
  }

  #advance(count: number): number {
    const start = this.position;
    if (start + count > this.bytes.length) {
      throw this.truncated();
    }
    this.position = start + count;
    return start;
  }

  /** The error for bytes that end inside a value. */
  protected truncated(): WireError {
    return new WireError("WIRE_TRUNCATED", `rows end at byte ${this.bytes.length}, inside a value`);
  }
}
