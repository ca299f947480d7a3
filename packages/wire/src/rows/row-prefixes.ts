import { WireError } from "../errors.ts";
import { type ByteWriter, defaultMaxRowsBytes } from "./byte-writer.ts";

/** Bytes of the mark that replaces a row's prefix. */
export const prefixMarkBytes = 2;

/**
 * True when the row at `at` starts with the mark and so has the same prefix as the previous row. A full prefix never
 * starts with these bytes: they would be a tenant of length 0, and that length has only one byte.
 */
export function hasPrefixMark(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0x80 && bytes[at + 1] === 0;
}

/** @param at position of a mark before which there is no prefix */
export function prefixMissing(at: number): WireError {
  return new WireError(
    "WIRE_MALFORMED",
    `the row at byte ${at} of the rows has the prefix of none before it`,
  );
}

/**
 * Starts each row with its prefix, or with the mark if the previous row has the same prefix. The limit counts each row
 * with its full prefix, because later readers may need rows in this form.
 */
export class RowPrefixes {
  readonly #out: ByteWriter;
  readonly #maxRowsBytes: number;
  /** Position of the last prefix in `out`; initially the prefix is empty. */
  #start = 0;
  #end = 0;
  /** Position of the prefix before it, which is needed if the last row is removed. */
  #earlierStart = 0;
  #earlierEnd = 0;
  #savedBytes = 0;

  constructor(out: ByteWriter, maxRowsBytes = defaultMaxRowsBytes) {
    this.#out = out;
    this.#maxRowsBytes = maxRowsBytes;
  }

  /** Must be called after `out` was emptied. */
  begin(): void {
    this.forget();
    this.#savedBytes = 0;
  }

  /** The next row then starts with its full prefix. */
  forget(): void {
    this.#start = 0;
    this.#end = 0;
    this.#earlierStart = 0;
    this.#earlierEnd = 0;
  }

  /** Bytes of all rows if each had its full prefix. */
  get plainBytes(): number {
    return this.#out.length + this.#savedBytes;
  }

  /**
   * Starts a row with the prefix that was written last.
   * @throws WireError WIRE_TOO_LARGE when all rows with full prefixes exceed `maxRowsBytes`
   */
  again(): void {
    const out = this.#out;
    const saved = this.#end - this.#start - prefixMarkBytes;
    if (this.plainBytes + saved > this.#maxRowsBytes) {
      throw new WireError(
        "WIRE_TOO_LARGE",
        `rows of ${this.plainBytes + saved} bytes are over maxRowsBytes ${this.#maxRowsBytes}`,
      );
    }
    out.reserve(prefixMarkBytes);
    out.buffer[out.length++] = 0x80;
    out.buffer[out.length++] = 0;
    this.#savedBytes += saved;
  }

  /**
   * Begins a row with the prefix that was just written from `start`. If the previous row has the same prefix, the
   * prefix is replaced by a mark.
   * @throws WireError WIRE_TOO_LARGE as in `again`
   */
  written(start: number): void {
    const out = this.#out;
    const { buffer, length } = out;
    if (
      length - start === this.#end - this.#start &&
      buffer.compare(buffer, this.#start, this.#end, start, length) === 0
    ) {
      out.length = start;
      this.again();
      return;
    }
    this.#earlierStart = this.#start;
    this.#earlierEnd = this.#end;
    this.#start = start;
    this.#end = length;
  }

  /** Removes the last row, which starts at `start` and may be incomplete. */
  takeBack(start: number): void {
    const out = this.#out;
    if (out.length > start && hasPrefixMark(out.buffer, start)) {
      this.#savedBytes -= this.#end - this.#start - prefixMarkBytes;
    }
    out.length = start;
    if (this.#end <= start) {
      return;
    }
    this.#start = this.#earlierStart;
    this.#end = this.#earlierEnd;
    this.#earlierStart = 0;
    this.#earlierEnd = 0;
  }
}
