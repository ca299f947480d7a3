import type { TimeSlice } from "./time-slices.ts";

const secondNano = 1_000_000_000n;
const minuteNano = 60n * secondNano;
/** Age up to which rows lie in parts of a few seconds each. Older seconds are spread over the part of their minute. */
const freshNano = 30n * secondNano;

/** Below this many rows one statement is faster than two. */
export const denseRows = 500_000;

/**
 * As `denseRows`, for the present minute. Its newest seconds are mostly enough. Later searches begin with these
 * seconds, so two statements are rarely needed.
 */
export const presentRows = 131_072;

/** Slices shorter than this are read in one statement. */
const leastPresentNano = 30n * secondNano;

/**
 * Divides a slice that ends now, newest part first: one sixteenth, three sixteenths, the rest.
 * @returns undefined when the slice does not end now, has no start, or is short
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
 * @param share the newer part is 1/`share` of the slice
 * @returns the newest part and the rest, which together cover the slice. Undefined when a split does not help: the
 * slice has no start, or lies within one minute. The table is ordered by minutes, so only the present minute can be
 * split.
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
