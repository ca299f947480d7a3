import type { TraceQuery } from "../../api/span-reader.ts";

const minuteNano = 60_000_000_000n;
const firstSliceNano = minuteNano;
/** How many times as long as the one before it a slice is. */
export const sliceGrowth = 16;
const growth = BigInt(sliceGrowth);

export type TimeSlice = Pick<TraceQuery, "startTimeMinUnixNano" | "startTimeMaxUnixNano">;

/**
 * The time of a search in slices, newest first, which together are all of it: a minute, a quarter of an hour, four
 * hours, some days, the rest. Traces are wanted newest first, so whoever has found enough need not read the older slices.
 * @param nowUnixNano what is newer than this is in the first slice
 * @param firstNano another length of the first slice
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
    if (min !== undefined && from <= min) break;
    yield slice(from, max);
    max = from - 1n;
  }
  yield slice(min, max);
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
