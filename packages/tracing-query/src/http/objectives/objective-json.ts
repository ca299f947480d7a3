import { fastBucket, fastBucketNano } from "storage/api";
import { spanKinds } from "wire/model";
import { z } from "zod";
import { burnRules, burnWindows, canFire } from "../../objectives/burn-rates.ts";
import type { SpanSum } from "../../objectives/count-ring.ts";
import { type ObjectiveStatus, objectiveStates } from "../../objectives/objective-status.ts";
import { roundedCount } from "../adjusted-json.ts";

// Every time of an objective has this unit.
const time = z.int().describe("Milliseconds since the Unix epoch.");
// Names of the windows of burn rates, such as `5m` and `6h`.
const windowNames = z.enum(burnWindows.map(({ name }) => name));

/** Numbers of spans. Each sampled span counts as the spans that it represents. */
const spansSchema = { total: z.number(), bad: z.number() };

/** An objective with its figures. */
export const objectiveSchema = z
  .strictObject({
    name: z.string(),
    description: z.string(),
    service: z.string(),
    operations: z.array(z.string()).describe("Empty: all operations of the service."),
    kinds: z.array(z.enum(spanKinds)),
    condition: z.string().describe("A condition of TraceQL; empty for none."),
    target: z.number().describe("Per cent of spans that must be good."),
    windowHours: z.int(),
    latencyMs: z.number().optional().describe("Good spans take less."),
    countedLatencyMs: z
      .number()
      .optional()
      .describe("The bound that the store counts with, at most 4.5 % from `latencyMs`."),
    state: z
      .enum(objectiveStates)
      .describe(
        "missed: the budget is overspent; burning: an alert fires; failed: the last read failed; counting: history is not all read; met; empty: no spans.",
      ),
    error: z.string().optional().describe("Why figures are older than `countedUntil` should be."),
    ...spansSchema,
    budgetLeft: z
      .number()
      .nullable()
      .describe("Share of the error budget that is left; below 0 when it is overspent; null without spans."),
    burnRates: z
      .array(z.strictObject({ window: windowNames, ...spansSchema, rate: z.number().nullable() }))
      .describe("null without spans; windows that are not wholly counted are left out."),
    alerts: z.array(z.strictObject({ severity: z.enum(["page", "ticket"]), since: time })),
    neverFires: z
      .array(z.string())
      .describe("Burn rates that no share of bad spans can reach with this target, such as `14.4`."),
    countedSince: time.nullable(),
    countedUntil: time.nullable(),
  })
  .meta({ id: "Objective" });

/** Rounds a figure, because sums of floating-point numbers have errors in the last digits. */
function rounded(value: number | undefined): number | null {
  return value === undefined ? null : Number(value.toPrecision(9));
}

/** Rounds a sum of spans to a thousandth, because sampled spans make fractions. */
function spans({ total, bad }: SpanSum) {
  return { total: roundedCount(total), bad: roundedCount(bad) };
}

/** An objective in the form of the API. */
export function objectiveJson(status: ObjectiveStatus): z.output<typeof objectiveSchema> {
  const { objective, counts, sum, budgetLeft, burns, error, state, firing } = status;
  const { name, description, service, operations, kinds, condition, target, windowMs, latencyMs } = objective;
  // Without a TraceQL condition the store counts latencies in buckets, so the limit in use is a bucket's bound.
  const isBySums = latencyMs !== undefined && condition === "";
  return {
    ...{ name, description, service, condition, target, state, windowHours: windowMs / 3_600_000 },
    ...{ operations: [...operations], kinds: [...kinds] },
    ...(latencyMs === undefined ? {} : { latencyMs }),
    ...(isBySums
      ? { countedLatencyMs: Number((fastBucketNano(fastBucket(latencyMs * 1e6)) / 1e6).toPrecision(4)) }
      : {}),
    ...(error === undefined ? {} : { error }),
    ...spans(sum),
    budgetLeft: rounded(budgetLeft),
    burnRates: [...burns].map(([window, burn]) => ({ window, ...spans(burn), rate: rounded(burn.rate) })),
    alerts: [...firing.values()].map(({ severity, sinceMs }) => ({ severity, since: sinceMs })),
    neverFires: burnRules.filter((rule) => !canFire(rule, target)).map(({ factor }) => String(factor)),
    countedSince: counts.untilMs === 0 ? null : counts.sinceMs,
    countedUntil: counts.untilMs === 0 ? null : counts.untilMs,
  };
}
