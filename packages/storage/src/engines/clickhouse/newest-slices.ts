import type { TimeSlice } from "./time-slices.ts";

const secondNano = 1_000_000_000n;

/** Lengths of the slices that a dense minute is searched in, until it is all searched. */
const lengthsNano = [4n * secondNano, 16n * secondNano];

/** With fewer rows to read, one statement is faster than two. */
export const denseRows = 500_000;

/**
 * The newest slice of a search in pieces, newest first, for stores that take in so many spans that a minute of them is
 * too much to read. Only a slice that lasts until now: what has just arrived lies in parts of its own, of some seconds
 * each, while older seconds lie scattered over a minute.
 * @param nowUnixNano now
 */
export function newestSlices(slice: TimeSlice, nowUnixNano: bigint): TimeSlice[] {
  const { startTimeMinUnixNano: min, startTimeMaxUnixNano } = slice;
  const oldest = lengthsNano.at(-1) ?? 0n;
  if (startTimeMaxUnixNano !== undefined && startTimeMaxUnixNano < nowUnixNano - oldest) return [slice];
  const slices: TimeSlice[] = [];
  let rest: TimeSlice = slice;
  for (const length of lengthsNano) {
    const from = nowUnixNano - length;
    if (min !== undefined && from <= min) break;
    slices.push({ ...rest, startTimeMinUnixNano: from });
    rest = { ...slice, startTimeMaxUnixNano: from - 1n };
  }
  return [...slices, rest];
}
