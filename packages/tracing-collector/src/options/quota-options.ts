import { duration } from "lifecycle";
import { z } from "zod";

/** Longest delay of a Node timer in milliseconds, about 24 days. Node runs a longer timer immediately. */
const maxTimerMs = 2_147_483_647;

/** Options for the quotas of tenants. */
export const quotaOptions = z.object({
  // A faulty file at startup is a StartError. A fault after startup leaves the quotas unchanged.
  "collector.quotas.file": z
    .string()
    .default("")
    .describe(
      "YAML or JSON file of the most spans a second and bytes a day that tenants may send; none: tenants have no limits of their own.",
    )
    .meta({ placeholder: "path" }),
  "collector.quotas.reload-interval": duration("10s")
    .refine((ms) => ms <= maxTimerMs, "is over 24 days")
    .describe("How often that file is read again; a mistake leaves the quotas as they were. 0 is never."),
});
