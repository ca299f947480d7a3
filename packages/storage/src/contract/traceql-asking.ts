import { parseTraceQl } from "traceql";
import type { TimeRange } from "../api/analysis-reader.ts";
import type { TraceQlMetrics, TraceQlSearch } from "../api/traceql-reader.ts";
import type { ContractContext } from "./contract-context.ts";
import { noonUnixNano } from "./sample-spans.ts";

export const secondNano = 1_000_000_000n;
/** From one minute before noon to one minute after it. */
export const range: TimeRange = {
  startUnixNano: noonUnixNano - 60n * secondNano,
  endUnixNano: noonUnixNano + 60n * secondNano,
};

/** Sends TraceQL queries for the range around noon to a store. */
export interface TraceQlAsking {
  search(query: string, more?: { limit?: number; spansPerSpanset?: number }): Promise<TraceQlSearch>;
  metrics(
    query: string,
    more?: { stepNano?: bigint; maxSeries?: number; exemplars?: boolean },
  ): Promise<TraceQlMetrics>;
}

export function askingTraceQl({ store }: ContractContext): TraceQlAsking {
  return {
    search: (query, more = {}) =>
      store().traceql.search({
        query: parseTraceQl(query),
        range,
        limit: more.limit ?? 20,
        spansPerSpanset: more.spansPerSpanset ?? 10,
      }),
    metrics: (query, more = {}) =>
      store().traceql.metrics({
        query: parseTraceQl(query),
        range,
        stepNano: more.stepNano ?? 30n * secondNano,
        maxSeries: more.maxSeries ?? 100,
        exemplars: more.exemplars ?? false,
      }),
  };
}
