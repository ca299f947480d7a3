import { ArrayEnds, columnBytes, copyNext, copyString } from "./native-column.ts";
import type { RowBytes } from "./row-bytes.ts";

/**
 * A column of arrays. It reads the array at the position of `from`, once for each row, and moves the position after it.
 */
export interface NestedColumns {
  /** True when all arrays are empty. */
  readonly isNothing: boolean;
  /** Removes all rows but keeps the memory. */
  clear(): void;
  /** @param row number of the row in its group; skipped rows get empty arrays */
  add(row: number, from: RowBytes): void;
  /** Number of elements in all arrays, and in nested arrays. */
  readonly elements: readonly number[];
  /**
   * The column as pieces; all columns of one kind have the same number of pieces.
   * @param before `elements` of earlier rows of the block; default: no earlier rows
   */
  pieces(rows: number, before?: readonly number[]): Uint8Array[];
}

/** Joins the pieces of a column whose rows are in several groups. */
export function joinedPieces(
  places: readonly { readonly column: NestedColumns; readonly rows: number }[],
): Uint8Array[] {
  const parts: Uint8Array[][] = [];
  let before: readonly number[] = [];
  for (const { column, rows } of places) {
    for (const [index, piece] of column.pieces(rows, before).entries()) {
      parts[index] ??= [];
      parts[index].push(piece);
    }
    const behind = before;
    before = column.elements.map((elements, index) => elements + (behind[index] ?? 0));
  }
  return parts.flat();
}

/** A column of attributes that are tuples: `Array(Tuple(key String, type Enum8, value String))`. */
export class AttributeColumns implements NestedColumns {
  readonly #ends = new ArrayEnds();
  readonly #keys = columnBytes();
  readonly #types = columnBytes();
  readonly #values = columnBytes();

  get isNothing(): boolean {
    return this.#ends.isNothing;
  }

  get elements(): [number] {
    return [this.#ends.elements];
  }

  clear(): void {
    for (const part of [this.#ends, this.#keys, this.#types, this.#values]) {
      part.clear();
    }
  }

  add(row: number, from: RowBytes): void {
    const count = from.length();
    this.#ends.add(row, count);
    for (let left = count; left > 0; left--) {
      copyString(from, this.#keys);
      copyNext(from, 1, this.#types);
      copyString(from, this.#values);
    }
  }

  pieces(rows: number, [before = 0]: readonly number[] = []): Uint8Array[] {
    return [this.#ends.bytes(rows, before), this.#keys.bytes, this.#types.bytes, this.#values.bytes];
  }
}

/** The column `links`. The attributes of links are arrays inside of arrays, so their ends count all earlier links. */
export class LinkColumns implements NestedColumns {
  readonly #ends = new ArrayEnds();
  readonly #traceIds = columnBytes();
  readonly #spanIds = columnBytes();
  readonly #states = columnBytes();
  readonly #attributes = new AttributeColumns();
  readonly #dropped = columnBytes();
  readonly #flags = columnBytes();
  readonly #refTypes = columnBytes();
  /** Number of links in all rows. `#attributes` uses it as the row number of the next link. */
  #count = 0;

  get isNothing(): boolean {
    return this.#ends.isNothing;
  }

  get elements(): [number, number] {
    return [this.#ends.elements, ...this.#attributes.elements];
  }

  clear(): void {
    this.#ends.clear();
    this.#attributes.clear();
    for (const part of [this.#traceIds, this.#spanIds, this.#states]) {
      part.clear();
    }
    for (const part of [this.#dropped, this.#flags, this.#refTypes]) {
      part.clear();
    }
    this.#count = 0;
  }

  add(row: number, from: RowBytes): void {
    const count = from.length();
    this.#ends.add(row, count);
    for (let left = count; left > 0; left--) {
      copyNext(from, 16, this.#traceIds);
      copyNext(from, 8, this.#spanIds);
      copyString(from, this.#states);
      this.#attributes.add(this.#count++, from);
      copyNext(from, 4, this.#dropped);
      copyNext(from, 4, this.#flags);
      copyNext(from, 1, this.#refTypes);
    }
  }

  pieces(rows: number, [before = 0, attributes = 0]: readonly number[] = []): Uint8Array[] {
    return [
      this.#ends.bytes(rows, before),
      this.#traceIds.bytes,
      this.#spanIds.bytes,
      this.#states.bytes,
      ...this.#attributes.pieces(this.#count, [attributes]),
      this.#dropped.bytes,
      this.#flags.bytes,
      this.#refTypes.bytes,
    ];
  }
}

/** The column `warnings`. */
export class WarningColumns implements NestedColumns {
  readonly #ends = new ArrayEnds();
  readonly #texts = columnBytes();

  get isNothing(): boolean {
    return this.#ends.isNothing;
  }

  get elements(): [number] {
    return [this.#ends.elements];
  }

  clear(): void {
    this.#ends.clear();
    this.#texts.clear();
  }

  add(row: number, from: RowBytes): void {
    const count = from.length();
    this.#ends.add(row, count);
    for (let left = count; left > 0; left--) {
      copyString(from, this.#texts);
    }
  }

  pieces(rows: number, [before = 0]: readonly number[] = []): Uint8Array[] {
    return [this.#ends.bytes(rows, before), this.#texts.bytes];
  }
}
