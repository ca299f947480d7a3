import { Counter, type Registry } from "@prometheus-io/client";
import { parseTags } from "lifecycle/parse-tags";
import type { CollectorOptions } from "../options/collector-options.ts";
import { CollectorTags } from "./collector-tags.ts";
import type { RowStep } from "./row-step.ts";
import { TraceDownsampling } from "./trace-downsampling.ts";

/**
 * The steps that the options request, and `observers`: steps that count spans or apply privacy rules. Observers see the
 * added tags, and also the spans that downsampling drops.
 * @throws StartError for tags that are not key=value
 */
export function openRowSteps(
  options: CollectorOptions,
  observers: readonly RowStep[],
  registry: Registry,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): RowStep[] {
  const tags = parseTags(options["collector.tags"], environment, "collector.tags");
  const ratio = options["downsampling.ratio"];
  return [
    ...(tags.length > 0 ? [new CollectorTags(tags)] : []),
    ...observers,
    ...(ratio < 1 ? [downsampling(options, registry)] : []),
  ];
}

function downsampling(options: CollectorOptions, registry: Registry): RowStep {
  const registers = [registry];
  const accepted = new Counter({
    name: "tracing_downsampling_writer_spans_accepted_total",
    help: "Spans that downsampling kept.",
    registers,
  });
  const dropped = new Counter({
    name: "tracing_downsampling_writer_spans_dropped_total",
    help: "Spans that downsampling dropped.",
    registers,
  });
  const settings = {
    ratio: options["downsampling.ratio"],
    salt: options["downsampling.hashsalt"],
    statesProbability: options["sampling.tracestate"],
  };
  return new TraceDownsampling(settings, {
    downsampled(kept, left) {
      accepted.inc(kept);
      dropped.inc(left);
    },
  });
}
