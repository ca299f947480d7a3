import type { RowScanner, SpanRows } from "wire/rows";

/**
 * The rows for which `isKept` says so, in their order. They are moved together inside `rows.bytes`, whose bytes are
 * thereby changed, unless all or none are kept. A row that had the prefix of one that is not kept gets it as its own.
 * @param scanner told where each row is; `isKept` may ask it about the row
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
  /** The prefix of the last row that is kept. */
  let keptPrefix = -1;
  while (scanner.next()) {
    if (!isKept(scanner)) continue;
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
  if (count === rows.count) return rows;
  // Only now: a prefix is looked at as long as rows have it.
  return { bytes: bytes.subarray(0, pieces.moveTogether(bytes)), count, plainBytes };
}

/** Parts of a buffer, each behind the one before. */
class Pieces {
  /** Of each its start and its end. */
  readonly #bounds: number[] = [];

  /** A piece that begins where the last one ends makes that one longer. */
  add(start: number, end: number): void {
    const bounds = this.#bounds;
    if (bounds.at(-1) === start) bounds[bounds.length - 1] = end;
    else bounds.push(start, end);
  }

  /** Moves all to the beginning of `bytes`. @returns their length */
  moveTogether(bytes: Uint8Array): number {
    const bounds = this.#bounds;
    let length = 0;
    for (let index = 0; index < bounds.length; index += 2) {
      const [start, end] = [bounds[index] as number, bounds[index + 1] as number];
      if (start !== length) bytes.copyWithin(length, start, end);
      length += end - start;
    }
    return length;
  }
}
