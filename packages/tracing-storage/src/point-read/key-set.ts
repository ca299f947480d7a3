/** The key values to be found in rows; all of them have the same length. */
export class KeySet {
  readonly #width: number;
  /** Keys by their first four bytes. */
  readonly #byWord = new Map<number, Buffer[]>();

  /** @param keys at least one key; all keys have the same length of at least four bytes */
  constructor(keys: readonly Buffer[]) {
    this.#width = keys[0]?.length ?? 0;
    for (const key of keys) {
      const word = key.readInt32LE(0);
      this.#byWord.set(word, [...(this.#byWord.get(word) ?? []), key]);
    }
  }

  /** @param column values without separators. @returns rows with one of the keys, in ascending order */
  rowsIn(column: Buffer): number[] {
    const [first] = this.#byWord.keys();
    const only = this.#byWord.size === 1 ? first : undefined;
    const width = this.#width;
    const rows: number[] = [];
    const check = (word: number, row: number) => {
      if (only !== undefined ? word !== only : !this.#byWord.has(word)) {
        return;
      }
      const value = column.subarray(row * width, (row + 1) * width);
      if (this.#byWord.get(word)?.some((key) => key.equals(value)) === true) {
        rows.push(row);
      }
    };
    const count = column.length / width;
    if (width % 4 === 0) {
      const words = wordsOf(column);
      for (let row = 0, at = 0; row < count; row++, at += width / 4) {
        check(words[at] as number, row);
      }
    } else {
      for (let row = 0; row < count; row++) {
        check(column.readInt32LE(row * width), row);
      }
    }
    return rows;
  }
}

/** The column as 32-bit words; it is copied if its offset is not a multiple of four, which `Int32Array` requires. */
function wordsOf(column: Buffer): Int32Array {
  const { buffer, byteOffset, byteLength } = column.byteOffset % 4 === 0 ? column : new Uint8Array(column);
  return new Int32Array(buffer, byteOffset, Math.floor(byteLength / 4));
}

/** @param column values in ascending order. @returns the rows with the key */
export function rowsOfSorted(column: Buffer, key: Buffer): number[] {
  const compare = (row: number) =>
    column.compare(key, 0, key.length, row * key.length, (row + 1) * key.length);
  let [from, to] = [0, column.length / key.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (compare(middle) < 0) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  const rows: number[] = [];
  for (let row = from; row < column.length / key.length && compare(row) === 0; row++) {
    rows.push(row);
  }
  return rows;
}
