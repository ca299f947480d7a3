import type { TimeSlice } from "./time-slices.ts";

const secondNano = 1_000_000_000n;
const minuteNano = 60n * secondNano;
/** What has just arrived lies in parts of its own, of some seconds each; older seconds lie scattered over their minute. */
const freshNano = 30n * secondNano;

/** With fewer rows to read, one statement is faster than two. */
export const denseRows = 500_000;

/**
 * Splits a slice of time that has too many spans to read all of them for the newest few.
 * @param share of how many parts of one length the newer one is
 * @returns the newest part and the rest, which together are the slice; undefined when there is no use in it: without
 *   a beginning, or within a minute, as the table is ordered by minutes, unless that minute is the present one
 */
export function splitSlice(
  slice: TimeSlice,
  nowUnixNano: bigint,
  share = 16n,
): readonly [newer: TimeSlice, older: TimeSlice] | undefined {
  const { startTimeMinUnixNano: min, startTimeMaxUnixNano: max } = slice;
  if (min === undefined) return undefined;
  const end = max === undefined || max > nowUnixNano ? nowUnixNano : max;
  const length = end - min;
  let from = end - length / share;
  if (length > minuteNano) from = (from / minuteNano) * minuteNano;
  else if (length < 2n * secondNano || end < nowUnixNano - freshNano) return undefined;
  if (from <= min) return undefined;
  return [
    { ...slice, startTimeMinUnixNano: from },
    { ...slice, startTimeMaxUnixNano: from - 1n },
  ];
}
