import { z } from "zod";

/** Converts nanoseconds to microseconds, keeping the fraction. */
export function microsOf(nano: bigint | number): number {
  return Math.round(Number(nano)) / 1_000;
}

/** Whole microseconds since the Unix epoch. JavaScript numbers cannot represent today's times more finely. */
export function timeMicrosOf(unixNano: bigint): number {
  return Number(unixNano / 1_000n);
}

/** Schema of durations in answers. */
export const microsSchema = z.number().describe("Microseconds, to the nanosecond.");

/** Schema of times in answers. */
export const timeMicrosSchema = z.int().describe("Microseconds since the Unix epoch.");
