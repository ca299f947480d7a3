import { parseDuration } from "../../format/parse-duration.ts";

/** A range of the heat map: times in microseconds since 1970, rows by the base 2 logarithm of nanoseconds. */
export interface Selection {
  /** Start of the first column. */
  startUs: number;
  /** End of the last column, exclusive. */
  endUs: number;
  /** The lowest selected row. */
  fromRow: number;
  /** The highest selected row, 63 at most. */
  toRow: number;
}

/**
 * Formats a selection for the address: `start-end-row-row`, for example
 * `1700000000000000-1700000060000000-20-23`.
 */
export function selectionText({ startUs, endUs, fromRow, toRow }: Selection): string {
  return [startUs, endUs, fromRow, toRow].join("-");
}

/** The inverse of `selectionText`; undefined for anything else. */
export function parseSelection(text: string | undefined): Selection | undefined {
  const parts = /^(\d{1,16})-(\d{1,16})-(\d{1,2})-(\d{1,2})$/
    .exec(text ?? "")
    ?.slice(1)
    .map(Number);
  if (parts === undefined) {
    return undefined;
  }
  const [startUs, endUs, fromRow, toRow] = parts as [number, number, number, number];
  return endUs > startUs && fromRow <= toRow && toRow < 64 ? { startUs, endUs, fromRow, toRow } : undefined;
}

/** Lower bound of a row's durations, microseconds; 0 for row 0. */
export function rowStartUs(row: number): number {
  return row === 0 ? 0 : 2 ** row / 1_000;
}

/**
 * The durations of a selection in Go's format, within the bounds of the search. Rows end a nanosecond before the
 * next row begins.
 */
export function selectedDurations(
  { fromRow, toRow }: Selection,
  bounds: { minDuration?: string | undefined; maxDuration?: string | undefined },
): { minDuration?: string | undefined; maxDuration?: string | undefined } {
  const min = parseDuration(bounds.minDuration?.trim() ?? "") ?? 0;
  const max = parseDuration(bounds.maxDuration?.trim() ?? "") ?? Number.POSITIVE_INFINITY;
  const fromNs = fromRow === 0 ? 0n : 2n ** BigInt(fromRow);
  const toNs = 2n ** BigInt(toRow + 1) - 1n;
  return {
    minDuration: Number(fromNs) / 1_000 > min ? `${fromNs}ns` : bounds.minDuration?.trim() || undefined,
    maxDuration: Number(toNs) / 1_000 < max ? `${toNs}ns` : bounds.maxDuration?.trim(),
  };
}
