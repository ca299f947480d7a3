import { WireError } from "../errors.ts";

const cacheSlots = 1024;
/** Longer strings are seldom repeated, and comparing them costs what decoding does. */
const cachedStringBytes = 48;

/**
 * Reads RowBinary values one after the other. `repeatedString` remembers what it read lately by its bytes, because
 * names and keys come again in every row and each decoding costs a call out of JavaScript.
 *
 * Every read throws WireError WIRE_TRUNCATED when the input ends early.
 */
export class RowReader {
  position = 0;
  readonly bytes: Buffer;
  readonly #cacheOffset = new Int32Array(cacheSlots);
  readonly #cacheLength = new Int32Array(cacheSlots).fill(-1);
  readonly #cacheText: string[] = new Array<string>(cacheSlots).fill("");

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get done(): boolean {
    return this.position >= this.bytes.length;
  }

  uint8(): number {
    return this.bytes[this.#advance(1)] as number;
  }

  uint32(): number {
    return this.bytes.readUInt32LE(this.#advance(4));
  }

  int64(): bigint {
    return this.bytes.readBigInt64LE(this.#advance(8));
  }

  /** @throws WireError WIRE_MALFORMED when the number is not below 2^32 */
  varint(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.uint8();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new WireError("WIRE_MALFORMED", `length at byte ${this.position - 5} of the rows has over 5 bytes`);
  }

  hex(byteCount: number): string {
    const start = this.#advance(byteCount);
    return this.bytes.toString("hex", start, start + byteCount);
  }

  string(): string {
    const length = this.varint();
    if (length === 0) return "";
    const start = this.#advance(length);
    return this.bytes.toString("utf8", start, start + length);
  }

  /** As `string`, for values that many rows share. */
  repeatedString(): string {
    const length = this.varint();
    if (length === 0) return "";
    const start = this.#advance(length);
    const { bytes } = this;
    if (length > cachedStringBytes) return bytes.toString("utf8", start, start + length);
    let hash = length;
    for (let index = start; index < start + length; index++)
      hash = (hash * 31 + (bytes[index] as number)) | 0;
    const slot = (hash ^ (hash >>> 15)) & (cacheSlots - 1);
    if (this.#cacheLength[slot] === length && this.#same(this.#cacheOffset[slot] as number, start, length)) {
      return this.#cacheText[slot] as string;
    }
    const text = bytes.toString("utf8", start, start + length);
    this.#cacheOffset[slot] = start;
    this.#cacheLength[slot] = length;
    this.#cacheText[slot] = text;
    return text;
  }

  /** Whether the bytes from `position` on are those of `[start, end)`. */
  repeats(start: number, end: number): boolean {
    const stop = this.position + end - start;
    return stop <= this.bytes.length && this.bytes.compare(this.bytes, start, end, this.position, stop) === 0;
  }

  #same(left: number, right: number, length: number): boolean {
    const { bytes } = this;
    for (let index = 0; index < length; index++) {
      if (bytes[left + index] !== bytes[right + index]) return false;
    }
    return true;
  }

  #advance(count: number): number {
    const start = this.position;
    if (start + count > this.bytes.length) {
      throw new WireError("WIRE_TRUNCATED", `rows end at byte ${this.bytes.length}, inside a value`);
    }
    this.position = start + count;
    return start;
  }
}
