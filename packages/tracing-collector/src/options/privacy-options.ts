import { duration } from "lifecycle";
import { z } from "zod";

/** The longest time of a timer in ms: about 24 days. */
const maxTimerMs = 2_147_483_647;

/** Options for rules that take personal data out of spans. */
export const privacyOptions = z.object({
  // A faulty file at the start is a StartError: a collector without its rules would keep personal data.
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
