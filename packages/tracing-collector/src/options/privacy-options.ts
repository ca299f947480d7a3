import { duration } from "lifecycle";
import { z } from "zod";

/** Longest delay of a Node timer in milliseconds, about 24 days. Node runs a longer timer immediately. */
const maxTimerMs = 2_147_483_647;

/** Options for rules that remove personal data from spans. */
export const privacyOptions = z.object({
  // A faulty file at startup is a StartError: without its rules, a collector would store personal data.
  "collector.privacy.rules-file": z
    .string()
    .default("")
    .describe(
      "YAML or JSON file of the rules that remove, mask, hash, truncate or rename values before anything is kept; none: spans stay as they came.",
    )
    .meta({ placeholder: "path" }),
  "collector.privacy.reload-interval": duration("10s")
    .refine((ms) => ms <= maxTimerMs, "is over 24 days")
    .describe(
      "How often that file and its key are read again; a mistake leaves the rules as they were. 0 is never.",
    ),
});
