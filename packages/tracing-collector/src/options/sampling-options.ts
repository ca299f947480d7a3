import { clientTlsOptions, duration } from "lifecycle";
import { z } from "zod";

/** Longest delay of a Node timer in milliseconds, about 24 days. Node runs a longer timer immediately. */
const maxTimerMs = 2_147_483_647;

/** An interval that Node's timers support: 1 ms to 24 days. A longer time would fire at once. */
const interval = (defaultValue: string) =>
  duration(defaultValue).refine((ms) => ms >= 1 && ms <= maxTimerMs, "is not between 1ms and 24 days");
/** A probability above 0, because an operation that is never sampled could never be measured again. */
const probability = (defaultValue: number) => z.number().gt(0).max(1).default(defaultValue);

/** Options for the sampling strategies that clients receive. Names and defaults are Jaeger's. */
export const samplingOptions = z.object({
  "sampling.config-type": z
    .enum(["file", "adaptive"])
    .default("file")
    .describe("Where strategies come from: a file, or computed from the spans that arrive."),
  // With `memory`, each collector computes from its own spans, so collectors have different probabilities for one
  // operation.
  "sampling.storage-type": z
    .enum(["auto", "clickhouse", "memory"])
    .default("auto")
    .describe(
      "Where adaptive sampling keeps its counts; auto is where spans go. With memory, each collector is its own leader.",
    ),
  "sampling.strategies-file": z
    .string()
    .default("")
    .describe("Path or http(s) URL of the strategies, JSON; without it all clients sample 0.1 %.")
    .meta({ placeholder: "path|URL" }),
  ...clientTlsOptions("sampling.strategies"),
  "sampling.strategies-reload-interval": duration("0s")
    .refine((ms) => ms <= maxTimerMs, "is over 24 days")
    .describe("How often the strategies are read again; 0 is never."),
  // Issue 5270 of Jaeger. With false, clients get the former answer.
  "sampling.strategies.bugfix-5270": z
    .boolean()
    .default(false)
    .describe("Whether rate-limited services without operations of their own get the default's."),
  "sampling.target-samples-per-second": z
    .number()
    .gt(0)
    .default(1)
    .describe("Adaptive: sampled traces per second of each operation to aim at."),
  "sampling.delta-tolerance": z
    .number()
    .min(0)
    .default(0.3)
    .describe("Adaptive: how far from the target, as a ratio, is close enough."),
  "sampling.buckets-for-calculation": z
    .number()
    .int()
    .min(1)
    .default(1)
    .describe("Adaptive: latest calculation intervals that count."),
  "sampling.calculation-interval": interval("1m").describe("Adaptive: how often probabilities are computed."),
  "sampling.aggregation-buckets": z
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(10)
    .describe("Adaptive: calculation intervals kept in memory; operations not seen in them are forgotten."),
  "sampling.delay": duration("2m").describe(
    "Adaptive: age of the counts used, so that clients have had time to fetch the last probabilities.",
  ),
  "sampling.initial-sampling-probability": probability(0.001).describe("Adaptive: for new operations."),
  "sampling.min-sampling-probability": probability(1e-5).describe("Adaptive: the lowest ever given."),
  "sampling.min-samples-per-second": z
    .number()
    .min(0)
    .default(1 / 60)
    .describe("Adaptive: traces per second of each operation that clients sample whatever the probability."),
  "sampling.leader-lease-refresh-interval": interval("5s").describe(
    "Adaptive: how often the collector that computes renews its lease.",
  ),
  "sampling.follower-lease-refresh-interval": interval("1m").describe(
    "Adaptive: how often the others try to get the lease, and how long it lasts.",
  ),
});

export type SamplingOptions = z.infer<typeof samplingOptions>;
