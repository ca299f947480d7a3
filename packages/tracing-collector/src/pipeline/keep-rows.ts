import type { RowScanner, SpanRows } from "wire/rows";

/**
 * Keeps the rows that `isKept` accepts, in their order. Unless all or no rows are kept, the kept rows are moved to the
 * start of `rows.bytes`, which changes the bytes. A row that shared the prefix of a removed row gets a copy of that
 * prefix.
 * @param scanner positioned at each row; `isKept` may read the row from it
 * @returns `rows` itself when all are kept
 */
export function keepRows(
  rows: SpanRows,
  scanner: RowScanner,
  isKept: (scanner: RowScanner) => boolean,
): SpanRows {
  const { bytes } = rows;
  scanner.open(rows);
  const pieces = new Pieces();
  let count = 0;
  let plainBytes = 0;
  /** Position of the prefix of the last kept row. */
  let keptPrefix = -1;
  while (scanner.next()) {
    if (!isKept(scanner)) {
      continue;
    }
    count++;
    const { prefixStart, prefixEnd, traceIdAt, end } = scanner;
    plainBytes += prefixEnd - prefixStart + end - traceIdAt;
    if (prefixStart === keptPrefix) {
      pieces.add(scanner.start, end);
    } else {
      pieces.add(prefixStart, prefixEnd);
      pieces.add(traceIdAt, end);
      keptPrefix = prefixStart;
    }
  }
  if (count === rows.count) {
    return rows;
  }
  // The bytes are moved last, because later rows may still refer to a prefix.
  return { bytes: bytes.subarray(0, pieces.moveTogether(bytes)), count, plainBytes };
}

/** Parts of a buffer in order. */
class Pieces {
  /** Start and end of each part, one after the other. */
  readonly #bounds: number[] = [];

  /** Adds a part. If it begins at the end of the last part, it extends that part. */
  add(start: number, end: number): void {
    const bounds = this.#bounds;
    if (bounds.at(-1) === start) {
      bounds[bounds.length - 1] = end;
    } else {
      bounds.push(start, end);
    }
  }

  /** Moves all parts to the beginning of `bytes`. @returns their total length */
  moveTogether(bytes: Uint8Array): number {
    const bounds = this.#bounds;
    let length = 0;
    for (let index = 0; index < bounds.length; index += 2) {
      const [start, end] = [bounds[index] as number, bounds[index + 1] as number];
      if (start !== length) {
        bytes.copyWithin(length, start, end);
      }
      length += end - start;
    }
    return length;
  }
}
