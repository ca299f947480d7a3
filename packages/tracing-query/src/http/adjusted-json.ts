import type { AdjustedCounts } from "storage/api";
import { z } from "zod";

/** Schema fields for the margin and rates of sampled span counts. */
export const adjustedFields = {
  margin: z
    .number()
    .describe(
      "The true number is at most this much away in 19 of 20 cases, when traces were kept independently and each has one of the spans.",
    ),
  unknown: z.number().describe("Spans that do not say how they were sampled; each counts once."),
  least: z.number().describe("The least that one span stands for, of those that say it; 0 when none does."),
  greatest: z
    .number()
    .describe("The greatest; it differs from `least` when spans were sampled with several probabilities."),
};

/** The parameter that enables adjusted figures. */
export const adjustedParam = z
  .enum(["true", "false"])
  .optional()
  .describe("`true`: also says what sampled spans stand for.");

export const adjustedCallsSchema = z
  .strictObject({ calls: z.number().describe("Calls that the spans stand for."), ...adjustedFields })
  .meta({ id: "AdjustedCalls" });

/** Rounds to a thousandth: further digits are only rounding noise of sums. */
export function roundedCount(count: number): number {
  return Math.round(count * 1_000) / 1_000;
}

/** The values of `adjustedFields`. */
export function adjustedFieldsOf({ margin, unknown, least, greatest }: Omit<AdjustedCounts, "adjusted">) {
  return { margin: roundedCount(margin), unknown, least, greatest };
}

/** Adjusted counts of calls. @returns no members when the store does not know the counts */
export function adjustedCallsOf(counts: AdjustedCounts | undefined): {
  adjusted?: z.output<typeof adjustedCallsSchema>;
} {
  return counts === undefined
    ? {}
    : { adjusted: { calls: roundedCount(counts.adjusted), ...adjustedFieldsOf(counts) } };
}
