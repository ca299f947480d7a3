import type { TimeSlice } from "./time-slices.ts";

const secondNano = 1_000_000_000n;
const minuteNano = 60n * secondNano;
/**
 * Spans that have just arrived are in their own parts of some seconds each; older seconds are scattered over
 * their minute.
 */
const freshNano = 30n * secondNano;

/** Below this many rows one statement is faster than two. */
export const denseRows = 500_000;

/**
 * The same for the present minute. Its newest seconds are mostly enough, and later searches begin with them, so two
 * statements are needed only once in a while.
 */
export const presentRows = 131_072;

/** A shorter time is read at once. */
const leastPresentNano = 30n * secondNano;

/**
 * Cuts the slice that ends now: newest first, a sixteenth, three more, the rest.
 * @returns undefined when it does not end now, has no beginning, or is short
 */
export function presentParts(slice: TimeSlice, nowUnixNano: bigint): readonly TimeSlice[] | undefined {
  const { startTimeMinUnixNano: min, startTimeMaxUnixNano: max } = slice;
  if (min === undefined || (max !== undefined && max < nowUnixNano - freshNano)) {
    return undefined;
  }
  const end = max === undefined || max > nowUnixNano ? nowUnixNano : max;
  const length = end - min;
  if (length < leastPresentNano) {
    return undefined;
  }
  const [second, first] = [end - length / 4n, end - length / 16n];
  return [
    { ...slice, startTimeMinUnixNano: first },
    { startTimeMinUnixNano: second, startTimeMaxUnixNano: first - 1n },
    { startTimeMinUnixNano: min, startTimeMaxUnixNano: second - 1n },
  ];
}

/**
 * Splits a slice of time that has too many spans to read all of them for the newest few.
 * @param share of how many parts of one length the newer one is
 * @returns the newest part and the rest, which together are the slice; undefined when a split does not help.
 *   That is so without a beginning, and within a minute, because the table is ordered by minutes, unless it
 *   is the present minute.
 */
export function splitSlice(
  slice: TimeSlice,
  nowUnixNano: bigint,
  share = 16n,
): readonly [newer: TimeSlice, older: TimeSlice] | undefined {
  const { startTimeMinUnixNano: min, startTimeMaxUnixNano: max } = slice;
  if (min === undefined) {
    return undefined;
  }
  const end = max === undefined || max > nowUnixNano ? nowUnixNano : max;
  const length = end - min;
  let from = end - length / share;
  if (length > minuteNano) {
    from = (from / minuteNano) * minuteNano;
  } else if (length < 2n * secondNano || end < nowUnixNano - freshNano) {
    return undefined;
  }
  if (from <= min) {
    return undefined;
  }
  return [
    { ...slice, startTimeMinUnixNano: from },
    { ...slice, startTimeMaxUnixNano: from - 1n },
  ];
}
