import { commaList, duration } from "lifecycle";
import { z } from "zod";

/**
 * Options for the steps between receivers and the store. `collector.tags`, `collector.queue-size`,
 * `collector.queue-size-memory`, `collector.num-workers`, `collector.enable-span-size-metrics` and `downsampling.*`
 * have Jaeger's names.
 */
export const pipelineOptions = z.object({
  "collector.tags": commaList()
    .describe(
      "Tags for the resource of every span, key=value; a value may be an environment variable with a fallback, " +
        "$" +
        "{NAME:fallback}.",
    )
    .meta({ placeholder: "key=value,…" }),
  // Jaeger's default is 2,000 spans, all in memory. A bound in bytes suits spans of very different sizes.
  "collector.queue-size": z
    .int()
    .min(0)
    .default(0)
    .describe("Most spans that wait for storage; 0: only the bytes of the journal are bounded."),
  "collector.queue-size-memory": z
    .number()
    .min(0)
    .default(0)
    .describe(
      "MiB that waiting spans may take, in place of collector.journal.max-bytes; 0: the latter counts.",
    ),
  // Jaeger has 50 workers that each write single spans. Our workers write blocks of many thousand spans.
  "collector.num-workers": z
    .int()
    .min(1)
    .max(64)
    .default(1)
    .describe(
      "Inserts under way at a time. With one, spans gather meanwhile, and few large blocks cost storage the least.",
    ),
  "collector.enable-span-size-metrics": z
    .boolean()
    .default(false)
    .describe(
      "Serve the metric tracing_collector_spans_bytes: bytes of all spans kept, as they wait for storage.",
    ),
  // A check costs a query for each table and server. An hourly check suffices for days that have ended.
  "collector.derived-check-interval": duration("1h").describe(
    "Time between two looks for ended days whose tables filled from spans (rates, calls, services) differ from the spans; each day is compared once, by one collector of all. 0 never looks.",
  ),
  "collector.derived-repair": z
    .boolean()
    .default(false)
    .describe("Add what such a table lacks; otherwise log, metric and health say it."),
  // 131,072 batches in 5 minutes are 437 per second. A busier collector forgets batches earlier.
  "collector.recent-batches": z
    .int()
    .min(0)
    .max(10_000_000)
    .default(131_072)
    .describe(
      "Batches that are remembered for 5 minutes or more: a copy of one, whose sender tried again, is acknowledged " +
        "and not kept twice. With more batches the oldest are forgotten. About 100 bytes of memory each; 0 keeps copies.",
    ),
  "downsampling.ratio": z
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe(
      "Part of all traces that is kept, chosen by trace id; the others are dropped before the journal.",
    ),
  // With different salts, a trace whose spans reach several collectors is kept only in part.
  "downsampling.hashsalt": z
    .string()
    .default("")
    .describe("Salt for that choice: collectors with the same salt choose the same traces."),
  "sampling.tail.policies-file": z
    .string()
    .default("")
    .describe(
      "YAML or JSON file of the policies that decide which finished traces are stored; none: all are.",
    )
    .meta({ placeholder: "path" }),
  // It exceeds the duration of most traces. Spans that arrive later follow the decision, even if they would have
  // changed it.
  "sampling.tail.decision-wait": duration("30s").describe(
    "Time from a trace's first span to the decision; its spans wait in the journal.",
  ),
  "sampling.tracestate": z
    .boolean()
    .default(false)
    .describe(
      "Whether spans that downsampling or tail sampling kept say with which probability: ot=th:… in their tracestate.",
    ),
  "sampling.tail.max-traces": z
    .int()
    .min(100)
    .max(10_000_000)
    .default(200_000)
    .describe(
      "Most undecided traces; past that the oldest are decided early. Each takes about 280 bytes of memory.",
    ),
});
