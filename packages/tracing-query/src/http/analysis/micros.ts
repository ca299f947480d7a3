import { z } from "zod";

/** Microseconds, to the nanosecond. @param nano nanoseconds */
export function microsOf(nano: bigint | number): number {
  return Math.round(Number(nano)) / 1_000;
}

/** Whole microseconds since the Unix epoch; a number holds no more of a time of today. */
export function timeMicrosOf(unixNano: bigint): number {
  return Number(unixNano / 1_000n);
}

/** Of durations in answers. */
export const microsSchema = z.number().describe("Microseconds, to the nanosecond.");

/** Of times in answers. */
export const timeMicrosSchema = z.int().describe("Microseconds since the Unix epoch.");
