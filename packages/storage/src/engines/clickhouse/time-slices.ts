import type { TraceQuery } from "../../api/span-reader.ts";

const secondNano = 1_000_000_000n;
const minuteNano = 60n * secondNano;
/** Nanoseconds of the first slice when no earlier search is remembered. */
export const firstSliceNano = minuteNano;
/** Ratio of the lengths of two successive slices. */
export const sliceGrowth = 16;
const growth = BigInt(sliceGrowth);

export type TimeSlice = Pick<TraceQuery, "startTimeMinUnixNano" | "startTimeMaxUnixNano">;

/** Earliest time that a column can store. */
const firstNanoThereIs = -(2n ** 63n);

/**
 * Cuts the time of a search into slices, newest first: a minute, a quarter of an hour, four hours, some days, and all
 * time before. Results are sorted newest first, so a search stops as soon as it has enough traces.
 * @param nowUnixNano present time; the first slice also contains later times
 * @param firstNano a different length of the first slice, at least the default
 */
export function* timeSlices(
  query: TimeSlice,
  nowUnixNano: bigint,
  firstNano = firstSliceNano,
): Generator<TimeSlice> {
  const { startTimeMinUnixNano: min, startTimeMaxUnixNano } = query;
  let max = startTimeMaxUnixNano;
  const end = max === undefined || max > nowUnixNano ? nowUnixNano : max;
  for (let length = firstNano; length <= firstNano * growth ** 3n; length *= growth) {
    // Bounds are whole minutes, because the table is ordered by minutes.
    const from = ((end - length) / minuteNano) * minuteNano;
    if (from <= (min ?? firstNanoThereIs)) {
      break;
    }
    yield slice(from, max);
    max = from - 1n;
  }
  yield slice(min, max);
}

/**
 * Splits a slice so that its newest part should contain the missing traces, estimated from the traces per minute so
 * far. The part has whole minutes and twice the estimated length.
 * @param searchedNano length of the time range that was searched before the slice, in nanoseconds
 * @param found number of traces in that range
 * @returns undefined when the part would exceed a quarter of the slice, or no estimate exists
 */
export function likelyPart(
  { startTimeMinUnixNano: min, startTimeMaxUnixNano: max }: TimeSlice,
  searchedNano: bigint,
  found: number,
  wanted: number,
): readonly [newer: TimeSlice, older: TimeSlice] | undefined {
  if (min === undefined || max === undefined || found === 0) {
    return undefined;
  }
  const likely = (2n * searchedNano * BigInt(wanted - found)) / BigInt(found);
  const from = ((max + 1n - likely) / minuteNano) * minuteNano;
  if ((max - from) * 4n > max - min) {
    return undefined;
  }
  return [slice(from, max), slice(min, from - 1n)];
}

/** Length of a slice in nanoseconds. @returns undefined for a slice without a start */
export function sliceNano(
  { startTimeMinUnixNano: min, startTimeMaxUnixNano: max }: TimeSlice,
  nowUnixNano: bigint,
): bigint | undefined {
  if (min === undefined) {
    return undefined;
  }
  return (max === undefined || max > nowUnixNano ? nowUnixNano : max) - min;
}

/** Joins two slices. @param older the slice after `newer` */
export function joinedSlices(newer: TimeSlice, older: TimeSlice): TimeSlice {
  return slice(older.startTimeMinUnixNano, newer.startTimeMaxUnixNano);
}

function slice(min: bigint | undefined, max: bigint | undefined): TimeSlice {
  return {
    ...(min === undefined ? {} : { startTimeMinUnixNano: min }),
    ...(max === undefined ? {} : { startTimeMaxUnixNano: max }),
  };
}

/**
 * Age in nanoseconds up to which rows are stored in parts of a few seconds each. Older rows are spread over the part of
 * their minute.
 */
const freshNano = 30n * secondNano;

/** Below this many rows one statement is faster than two. */
export const denseRows = 500_000;

/**
 * Like `denseRows`, for the present minute. The newest seconds of this minute are mostly enough. Later searches begin
 * with these seconds, so two statements are rarely needed.
 */
export const presentRows = 131_072;

/** Slices shorter than this, in nanoseconds, are read in one statement. */
const leastPresentNano = 30n * secondNano;

/**
 * Divides a slice that ends now, newest part first: one sixteenth, three sixteenths, and the remaining time.
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
 * Splits a slice that has too many spans, because only the newest few are needed.
 * @param share the newer part is 1/`share` of the slice
 * @returns the newest part and the older part, which together cover the slice. Undefined when a split does not help:
 * the slice has no start, or lies within one minute of the past. The table is ordered by minutes, so of all minutes
 * only the present one can be split.
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
