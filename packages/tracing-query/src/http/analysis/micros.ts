import { z } from "zod";

/** Nanoseconds as microseconds, with the fraction kept. */
export function microsOf(nano: bigint | number): number {
  return Math.round(Number(nano)) / 1_000;
}

/** Whole microseconds since the Unix epoch. A number has no room for a finer time of today. */
export function timeMicrosOf(unixNano: bigint): number {
  return Number(unixNano / 1_000n);
}

/** Durations in answers. */
export const microsSchema = z.number().describe("Microseconds, to the nanosecond.");

/** Times in answers. */
export const timeMicrosSchema = z.int().describe("Microseconds since the Unix epoch.");
