import { WireError } from "../errors.ts";
import { type ByteWriter, defaultMaxRowsBytes } from "./byte-writer.ts";

/** Length of the mark that replaces a row's prefix. */
export const prefixMarkBytes = 2;

/**
 * True when the row at `at` begins with the mark: its prefix is that of the row before. No row with its own
 * prefix begins so, because these bytes would be a tenant's length of 0, which takes one byte.
 */
export function hasPrefixMark(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0x80 && bytes[at + 1] === 0;
}

/** @param at place of a mark that no row with a prefix precedes */
export function prefixMissing(at: number): WireError {
  return new WireError(
    "WIRE_MALFORMED",
    `the row at byte ${at} of the rows has the prefix of none before it`,
  );
}

/**
 * Begins rows with their prefix, or with the mark when the row before has the same prefix.
 *
 * The size of rows with all their prefixes is counted and limited, because later readers may see each row
 * with its own.
 */
export class RowPrefixes {
  readonly #out: ByteWriter;
  readonly #maxRowsBytes: number;
  /** The last prefix in `out`; empty at the beginning. */
  #start = 0;
  #end = 0;
  /** The prefix before it, in case its row is removed. */
  #earlierStart = 0;
  #earlierEnd = 0;
  #savedBytes = 0;

  constructor(out: ByteWriter, maxRowsBytes = defaultMaxRowsBytes) {
    this.#out = out;
    this.#maxRowsBytes = maxRowsBytes;
  }

  /** Call after `out` was emptied. */
  begin(): void {
    this.forget();
    this.#savedBytes = 0;
  }

  /** The next row gets its prefix in any case. */
  forget(): void {
    this.#start = 0;
    this.#end = 0;
    this.#earlierStart = 0;
    this.#earlierEnd = 0;
  }

  /** Bytes of all rows with their prefixes. */
  get plainBytes(): number {
    return this.#out.length + this.#savedBytes;
  }

  /**
   * A row begins with the prefix that was written last.
   * @throws WireError WIRE_TOO_LARGE when all rows with their prefixes exceed `maxRowsBytes`
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
   * A row begins with the prefix that was just written from `start`. The prefix is removed when the row
   * before has the same.
   * @throws WireError WIRE_TOO_LARGE, as `again`
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

  /** Removes the last row, complete or not, which begins at `start`. */
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
