import type { TraceQuery } from "../../api/span-reader.ts";

const minuteNano = 60_000_000_000n;
/** Of a search that nothing is known of. */
export const firstSliceNano = minuteNano;
/** How many times as long as the one before it a slice is. */
export const sliceGrowth = 16;
const growth = BigInt(sliceGrowth);

export type TimeSlice = Pick<TraceQuery, "startTimeMinUnixNano" | "startTimeMaxUnixNano">;

/** A column of times has none before it. */
const firstNanoThereIs = -(2n ** 63n);

/**
 * The time of a search in slices, newest first, which together are all of it: a minute, a quarter of an hour, four
 * hours, some days, the rest. Traces are wanted newest first, so whoever has found enough need not read the older slices.
 * @param nowUnixNano what is newer than this is in the first slice
 * @param firstNano another length of the first slice, not shorter
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
    // Whole minutes, as the table is ordered by them.
    const from = ((end - length) / minuteNano) * minuteNano;
    if (from <= (min ?? firstNanoThereIs)) break;
    yield slice(from, max);
    max = from - 1n;
  }
  yield slice(min, max);
}

/**
 * The newest part of a slice in which the rest of what is wanted should be, as much of it came with each minute before, and what is
 * older. Whole minutes, and twice what should do.
 * @param searchedNano how long a time was searched before the slice
 * @param found in that time
 * @returns undefined where that is more than a quarter of the slice, or nothing is known
 */
export function likelyPart(
  { startTimeMinUnixNano: min, startTimeMaxUnixNano: max }: TimeSlice,
  searchedNano: bigint,
  found: number,
  wanted: number,
): readonly [newer: TimeSlice, older: TimeSlice] | undefined {
  if (min === undefined || max === undefined || found === 0) return undefined;
  const likely = (2n * searchedNano * BigInt(wanted - found)) / BigInt(found);
  const from = ((max + 1n - likely) / minuteNano) * minuteNano;
  if ((max - from) * 4n > max - min) return undefined;
  return [slice(from, max), slice(min, from - 1n)];
}

/** How long a slice is. @returns undefined for one without a beginning */
export function sliceNano(
  { startTimeMinUnixNano: min, startTimeMaxUnixNano: max }: TimeSlice,
  nowUnixNano: bigint,
): bigint | undefined {
  if (min === undefined) return undefined;
  return (max === undefined || max > nowUnixNano ? nowUnixNano : max) - min;
}

/** Two slices as one. @param older the one after `newer` */
export function joinedSlices(newer: TimeSlice, older: TimeSlice): TimeSlice {
  return slice(older.startTimeMinUnixNano, newer.startTimeMaxUnixNano);
}

function slice(min: bigint | undefined, max: bigint | undefined): TimeSlice {
  return {
    ...(min === undefined ? {} : { startTimeMinUnixNano: min }),
    ...(max === undefined ? {} : { startTimeMaxUnixNano: max }),
  };
}
