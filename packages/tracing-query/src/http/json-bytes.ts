/** Bytes that are written often, padded with up to seven zeros, because they are copied eight at a time. */
export interface KnownBytes {
  readonly view: DataView;
  readonly length: number;
}

export function knownBytes(text: string | Buffer): KnownBytes {
  const known = Buffer.from(text);
  const bytes = Buffer.alloc(Math.ceil(known.length / 8) * 8);
  known.copy(bytes);
  return { view: viewOf(bytes), length: known.length };
}

/** Bytes of the first piece, which is often the only one. */
const firstBytes = 16_384;

/** Free bytes beyond the length of a piece: most pieces are taken before the buffer must grow. */
const spareBytes = 8_192;

/** If the upper 32 bits of nanoseconds are below this limit, a JavaScript number holds their microseconds exactly. */
const firstInexactHigh = 0x7d00_0000;

const hexDigits = new Uint16Array(256);
for (let byte = 0; byte < hexDigits.length; byte++) {
  hexDigits[byte] = Buffer.from(byte.toString(16).padStart(2, "0")).readUInt16BE();
}

/** JSON as bytes, written piece by piece. Most of it is copied from text that is already stored as bytes. */
export class JsonBytes {
  readonly #largest: number;
  readonly #step: number;
  #pieceLength: number;
  #bytes: Buffer;
  #view: DataView;
  #length = 0;

  /**
   * @param pieceLength approximate length of the first piece, in bytes
   * @param largest maximum length of later pieces, in bytes. Pieces grow by a quarter of `pieceLength` each, because
   * the first pieces take the most time for their length.
   */
  constructor(pieceLength: number, largest: number) {
    this.#pieceLength = pieceLength;
    this.#step = pieceLength / 4;
    this.#largest = largest;
    this.#bytes = Buffer.allocUnsafeSlow(Math.min(firstBytes, pieceLength + spareBytes));
    this.#view = viewOf(this.#bytes);
  }

  /** True when enough is written to be taken. */
  get isFull(): boolean {
    return this.#length >= this.#pieceLength;
  }

  /** Number of bytes not taken yet. */
  get length(): number {
    return this.#length;
  }

  /** Returns the bytes written since the last call. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.#length);
    if (this.#length < this.#pieceLength / 4) {
      this.#length = 0;
      return Buffer.from(taken);
    }
    this.#pieceLength = Math.min(this.#pieceLength + this.#step, this.#largest);
    this.#bytes = Buffer.allocUnsafeSlow(this.#pieceLength + spareBytes);
    this.#view = viewOf(this.#bytes);
    this.#length = 0;
    return taken;
  }

  /** Removes everything after the first `length` bytes. */
  cut(length: number): void {
    this.#length = length;
  }

  byte(byte: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = byte;
  }

  known({ view: from, length }: KnownBytes): void {
    this.#reserve(length + 7);
    const to = this.#view;
    const at = this.#length;
    for (let index = 0; index < length; index += 8) {
      to.setBigInt64(at + index, from.getBigInt64(index));
    }
    this.#length = at + length;
  }

  text(text: string): void {
    // A UTF-16 unit takes at most three bytes in UTF-8.
    this.#reserve(text.length < 1_024 ? 3 * text.length : Buffer.byteLength(text));
    this.#length += this.#bytes.write(text, this.#length);
  }

  /**
   * Writes `[start, end)` if it is ASCII without characters that JSON must escape.
   * @returns false when escaping is necessary; then nothing is written
   */
  plain(from: DataView, start: number, end: number): boolean {
    this.#reserve(end - start);
    const to = this.#view;
    let at = this.#length;
    let index = start;
    for (; index <= end - 4; index += 4) {
      const word = from.getInt32(index);
      if (hasSpecial(word)) {
        return false;
      }
      to.setInt32(at, word);
      at += 4;
    }
    for (; index < end; index++) {
      const byte = from.getUint8(index);
      if (hasSpecial(0x20202000 | byte)) {
        return false;
      }
      to.setUint8(at++, byte);
    }
    this.#length = at;
    return true;
  }

  /** Writes the 8 bytes at `start` as hex. */
  hex(from: DataView, start: number): void {
    this.#reserve(16);
    const to = this.#view;
    const at = this.#length;
    for (let index = 0; index < 8; index++) {
      to.setUint16(at + 2 * index, hexDigits[from.getUint8(start + index)] as number);
    }
    this.#length = at + 16;
  }

  /**
   * Writes the 64-bit little-endian nanoseconds at `start` as whole microseconds; a negative number wraps at
   * 2^64.
   */
  micros(from: DataView, start: number): void {
    const high = from.getInt32(start + 4, true);
    if (high < 0 || high >= firstInexactHigh) {
      this.text(microsText(from.getBigInt64(start, true)));
      return;
    }
    const thousands = Math.floor(high / 1_000);
    const rest = (high - 1_000 * thousands) * 0x1_0000_0000 + from.getUint32(start, true);
    this.#number(thousands * 0x1_0000_0000 + Math.floor(rest / 1_000));
  }

  /** Writes a whole number from 0 to 2^53. */
  #number(value: number): void {
    const upper = Math.floor(value / 1e8);
    if (upper > 0) {
      this.#digits(upper, digitsOf(upper));
    }
    const lower = value - 1e8 * upper;
    this.#digits(lower, upper > 0 ? 8 : digitsOf(lower));
  }

  #digits(value: number, count: number): void {
    this.#reserve(count);
    const bytes = this.#bytes;
    let rest = value;
    for (let at = this.#length + count - 1; at >= this.#length; at--) {
      const next = Math.trunc(rest / 10);
      bytes[at] = 0x30 + rest - 10 * next;
      rest = next;
    }
    this.#length += count;
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) {
      return;
    }
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
    this.#view = viewOf(grown);
  }
}

function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}

/**
 * True when one of four bytes is a control character, a quote, a backslash or not ASCII. The function uses the known
 * bit tests for a zero byte and for a byte below a limit.
 */
function hasSpecial(word: number): boolean {
  const quote = word ^ 0x22222222;
  const backslash = word ^ 0x5c5c5c5c;
  const found =
    ((word - 0x20202020) & ~word) |
    ((quote - 0x01010101) & ~quote) |
    ((backslash - 0x01010101) & ~backslash) |
    word;
  return (found & 0x80808080) !== 0;
}

/** Number of digits of a whole number below 1e9. */
function digitsOf(value: number): number {
  let count = 1;
  for (let least = 10; value >= least; least *= 10) {
    count++;
  }
  return count;
}

/** Nanoseconds as whole unsigned microseconds; a negative number wraps at 2^64. */
export function microsText(nano: bigint): string {
  const micros = nano / 1_000n;
  return (micros < 0n ? BigInt.asUintN(64, micros) : micros).toString();
}
