import type { RowScanner, SpanRows } from "wire/rows";

/**
 * The rows for which `isKept` says so, in their order. They are moved together inside `rows.bytes`, whose bytes are
 * thereby changed, unless all or none are kept.
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
  let count = 0;
  let length = 0;
  /** Kept rows that follow one another and are not moved yet. */
  let pieceStart = 0;
  let pieceEnd = 0;
  while (scanner.next()) {
    if (!isKept(scanner)) continue;
    count++;
    if (scanner.start !== pieceEnd) {
      // What is moved lies before the row that the scanner stands at.
      bytes.copyWithin(length, pieceStart, pieceEnd);
      length += pieceEnd - pieceStart;
      pieceStart = scanner.start;
    }
    pieceEnd = scanner.end;
  }
  if (count === rows.count) return rows;
  bytes.copyWithin(length, pieceStart, pieceEnd);
  length += pieceEnd - pieceStart;
  return { bytes: bytes.subarray(0, length), count };
}
