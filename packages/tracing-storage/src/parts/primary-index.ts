import { fixedWidth } from "./column-reader.ts";
import { UnreadablePart } from "./unreadable-part.ts";

/** Keys of the first row of each granule, and of the last row of the part. */
export class PrimaryIndex {
  readonly rows: number;
  readonly #keys: Buffer;
  readonly #columns: number;
  /** Position of each value; the last entry is the end of the last value. */
  readonly #places: Uint32Array;
  #minutes: MinuteRanges | undefined;

  /** @throws UnreadablePart for unsupported types, and for damage */
  constructor(keys: Buffer, types: readonly string[]) {
    const widths = types.map((type) => (isText(type) ? undefined : fixedWidth(type)));
    if (widths.some((width, index) => width === undefined && !isText(types[index] ?? ""))) {
      throw new UnreadablePart(`a key of ${types.join(", ")}`);
    }
    const places: number[] = [];
    let at = 0;
    while (at < keys.length) {
      for (const width of widths) {
        let length = width ?? 0;
        if (width === undefined) {
          let shift = 0;
          let byte: number;
          do {
            byte = keys[at++] ?? 0;
            length += (byte & 0x7f) * 2 ** shift;
            shift += 7;
          } while (byte >= 0x80 && shift < 35);
        }
        places.push(at);
        at += length;
      }
    }
    if (at !== keys.length) {
      throw new UnreadablePart("a primary index is cut short");
    }
    this.#keys = keys;
    this.#columns = types.length;
    this.#places = Uint32Array.from(places);
    this.rows = places.length / types.length;
  }

  get bytes(): number {
    return this.#keys.length + this.#places.byteLength + this.rows * 5;
  }

  /**
   * Range of granules that may have rows whose first key column (of a fixed size) equals `value`.
   * @returns index of the first granule, and index after the last granule
   */
  granulesOf(value: Buffer): readonly [from: number, to: number] {
    const first = this.#firstWhere((row) => this.#compare(row, value) >= 0);
    const behind = this.#firstWhere((row) => this.#compare(row, value) > 0);
    // A granule may also contain rows with the first key of the next granule.
    return [Math.max(first - 1, 0), Math.min(behind, this.rows - 1)];
  }

  /** For a key of a text and a 4-byte number: the granules that may have rows with one of these numbers. */
  granulesOfNumbers(numbers: readonly number[]): number[] {
    this.#minutes ??= this.#numberRanges();
    const { firsts, isOneText } = this.#minutes;
    const found: number[] = [];
    for (let granule = 0; granule + 1 < this.rows; granule++) {
      const from = firsts[granule] as number;
      const to = firsts[granule + 1] as number;
      // If the texts at both ends of a granule differ, other texts with any number may be between them.
      const isLikely = isOneText[granule] === 0 || numbers.some((number) => number >= from && number <= to);
      if (isLikely) {
        found.push(granule);
      }
    }
    return found;
  }

  /** Reads all numbers of the index once, so that later searches of the part compare plain arrays. */
  #numberRanges(): MinuteRanges {
    const firsts = new Uint32Array(this.rows);
    const isOneText = new Uint8Array(this.rows);
    for (let row = 0; row < this.rows; row++) {
      const place = row * this.#columns;
      firsts[row] = this.#keys.readUInt32LE(this.#places[place + 1] as number);
      if (row > 0) {
        isOneText[row - 1] = this.#text(row).equals(this.#text(row - 1)) ? 1 : 0;
      }
    }
    return { firsts, isOneText };
  }

  /** The first key column in a row of the index. */
  #text(row: number): Buffer {
    const place = row * this.#columns;
    // A 4-byte number, which has no length in front, follows the text.
    return this.#keys.subarray(this.#places[place], this.#places[place + 1]);
  }

  /** Compares a row's first key column with `value`; the result is negative when the row is before the value. */
  #compare(row: number, value: Buffer): number {
    const at = this.#places[row * this.#columns] as number;
    return this.#keys.compare(value, 0, value.length, at, at + value.length);
  }

  /**
   * Binary search. @param isBehind returns false for all rows before some row, and true for this row and all later
   * rows. @returns that row
   */
  #firstWhere(isBehind: (row: number) => boolean): number {
    let [from, to] = [0, this.rows];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (isBehind(middle)) {
        to = middle;
      } else {
        from = middle + 1;
      }
    }
    return from;
  }
}

/** Numbers of the index, one for each of its rows. */
interface MinuteRanges {
  readonly firsts: Uint32Array;
  /** 1 when the first row of a granule has the same text as the first row of the next granule. */
  readonly isOneText: Uint8Array;
}

function isText(type: string): boolean {
  return type === "String" || type === "LowCardinality(String)";
}
