import { ByteWriter } from "../byte-writer.ts";
import type { RowBytes } from "./row-bytes.ts";

/** Size limit of one column in bytes. The next constant is the limit of memory that is kept between blocks. */
const maxColumnBytes = 1024 * 1024 * 1024;
const keptColumnBytes = 32 * 1024 * 1024;
/**
 * First size of a column: each group of a block has about forty columns and parts of columns, and most of them stay
 * empty.
 */
const firstColumnBytes = 0;

/** @returns a buffer for the values of one column */
export function columnBytes(): ByteWriter {
  return new ByteWriter(maxColumnBytes, keptColumnBytes, firstColumnBytes);
}

/**
 * A column whose values are mostly empty: an empty string, a zero, or an array without elements. The column uses no
 * memory until a value has a byte other than zero.
 */
export class MostlyZeroColumn {
  readonly #out = columnBytes();
  readonly #width: number;
  #rows = 0;

  /** @param width size of an empty value in bytes */
  constructor(width: number) {
    this.#width = width;
  }

  clear(): void {
    this.#out.clear();
    this.#rows = 0;
  }

  get isNothing(): boolean {
    return this.#rows === 0;
  }

  /** Buffer for the value of a row, which the caller writes. Skipped rows get empty values. */
  at(row: number): ByteWriter {
    this.#out.zeros((row - this.#rows) * this.#width);
    this.#rows = row + 1;
    return this.#out;
  }

  /** All values of the first `rows` rows. */
  bytes(rows: number): Uint8Array {
    this.#out.zeros((rows - this.#rows) * this.#width);
    this.#rows = rows;
    return this.#out.bytes;
  }
}

/**
 * Ends of the arrays in a column: for each row, the number of elements in this row and all rows before it, as UInt64.
 */
export class ArrayEnds {
  readonly #out = columnBytes();
  #rows = 0;
  #elements = 0;
  /** Number that was added to the stored ends. */
  #moved = 0;

  clear(): void {
    this.#out.clear();
    this.#rows = 0;
    this.#elements = 0;
    this.#moved = 0;
  }

  /** Number of elements in all arrays. */
  get elements(): number {
    return this.#elements;
  }

  /** True when all arrays are empty. */
  get isNothing(): boolean {
    return this.#elements === 0;
  }

  /** Adds the array of a row. Skipped rows get empty arrays. */
  add(row: number, elements: number): void {
    this.#fill(row);
    this.#elements += elements;
    this.#end();
  }

  /**
   * Ends of the first `rows` rows.
   * @param before number of elements in earlier rows of the block
   */
  bytes(rows: number, before: number): Uint8Array {
    this.#fill(rows);
    this.#move(before);
    return this.#out.bytes;
  }

  #move(before: number): void {
    const by = before - this.#moved;
    if (by === 0) {
      return;
    }
    const { view, length } = this.#out;
    for (let at = 0; at < length; at += 8) {
      view.setUint32(at, view.getUint32(at, true) + by, true);
    }
    this.#moved = before;
  }

  #fill(row: number): void {
    if (this.#elements === 0) {
      this.#out.zeros((row - this.#rows) * 8);
      this.#rows = row;
    }
    while (this.#rows < row) {
      this.#end();
    }
  }

  #end(): void {
    this.#out.uint32(this.#elements);
    this.#out.uint32(0);
    this.#rows++;
  }
}

/** Copies the next `count` bytes. */
export function copyNext(from: RowBytes, count: number, to: ByteWriter): void {
  to.copy(from.bytes, from.position, from.position + count);
  from.position += count;
}

/** Copies the next string, with its length. */
export function copyString(from: RowBytes, to: ByteWriter): void {
  const start = from.string();
  to.copy(from.bytes, start, from.position);
}

/** Copies the next string, without its length. */
export function copyStringBytes(from: RowBytes, to: ByteWriter): void {
  copyNext(from, from.length(), to);
}
