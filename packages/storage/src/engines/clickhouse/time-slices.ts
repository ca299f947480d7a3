import type { TraceQuery } from "../../api/span-reader.ts";

const minuteNano = 60_000_000_000n;
/** Length of the first slice of a search without known reach. */
export const firstSliceNano = minuteNano;
/** Ratio of a slice's length to that of the slice before. */
export const sliceGrowth = 16;
const growth = BigInt(sliceGrowth);

export type TimeSlice = Pick<TraceQuery, "startTimeMinUnixNano" | "startTimeMaxUnixNano">;

/** A column of times has none before it. */
const firstNanoThereIs = -(2n ** 63n);

/**
 * Cuts the time of a search into slices, newest first: a minute, a quarter of an hour, four hours, some days,
 * the rest. Traces are returned newest first, so a search that has found enough skips the older slices.
 * @param nowUnixNano later times belong to the first slice
 * @param firstNano another length of the first slice, not shorter than the default
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
    // Whole minutes, because the table is ordered by minutes.
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
 * Splits a slice: the newest part should contain the missing traces, by the number that each minute before
 * had. It has whole minutes, and twice the estimated length.
 * @param searchedNano length of the time range that was searched before the slice, in nanoseconds
 * @param found traces in that range
 * @returns undefined when that part is more than a quarter of the slice, or nothing is known
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

/** How long a slice is. @returns undefined for one without a beginning */
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
