import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { readJson } from "./read-json.ts";

const number = z.union([z.number(), z.string()]);
const family = z.object({
  metrics: z.array(
    z.object({
      labels: z.array(z.object({ name: z.string(), value: z.string() })),
      metricPoints: z.array(
        z.object({ gaugeValue: z.object({ doubleValue: number }), timestamp: z.string() }),
      ),
    }),
  ),
});

type Family = z.infer<typeof family>;

/** Values at the times of a `Rates`; null where there was nothing. */
export type Samples = readonly (number | null)[];

/** How often something is called, how often it fails and how long it takes, over time and over all of it. */
export interface RateRow {
  service: string;
  /** "" for the service as a whole. */
  operation: string;
  /** Calls a second. */
  calls: Samples;
  /** Share of calls that failed, 0 to 1. */
  errors: Samples;
  /** Durations in microseconds. */
  p50: Samples;
  p95: Samples;
  p99: Samples;
  /** Of the whole time; durations are undefined when nothing was called. */
  whole: {
    calls: number;
    errors: number;
    p50: number | undefined;
    p95: number | undefined;
    p99: number | undefined;
  };
}

/** Rates of services or of operations at common times. */
export interface Rates {
  /** Milliseconds since 1970, ascending; each value is of the step before it. */
  times: readonly number[];
  rows: readonly RateRow[];
}

/** What rates are asked of. */
export interface RatesAsked {
  services: readonly string[];
  /** Milliseconds since 1970. */
  endMs: number;
  lookbackMs: number;
  byOperation: boolean;
  /** Spans that count: those that answer others, or all. */
  kinds: "served" | "all";
}

const kindsOf = {
  served: ["server", "consumer"],
  all: ["server", "consumer", "client", "producer", "internal", "unspecified"],
};

/** Points of a curve, about. */
const points = 48;

/** The store counts by minute: no step is shorter. */
const minuteMs = 60_000;

/** Length of a step, whole minutes. */
export function stepMs(lookbackMs: number): number {
  return Math.max(minuteMs, Math.ceil(lookbackMs / points / minuteMs) * minuteMs);
}

/** Rates, errors and durations of services. @throws ApiError with status 501 when the server has no metrics */
export function ratesQuery(asked: RatesAsked) {
  return queryOptions({
    queryKey: ["rates", asked],
    queryFn: async ({ signal }): Promise<Rates> => {
      const step = stepMs(asked.lookbackMs);
      const ask = (metric: string, quantile: string | undefined, every: number) =>
        readJson(`api/metrics/${metric}?${rateParameters(asked, every, quantile)}`, family, signal);
      const wholeMs = asked.lookbackMs;
      const [calls, errors, p50, p95, p99, whole50, whole95, whole99] = await Promise.all([
        ask("calls", undefined, step),
        ask("errors", undefined, step),
        ...["0.5", "0.95", "0.99"].map((quantile) => ask("latencies", quantile, step)),
        ...["0.5", "0.95", "0.99"].map((quantile) => ask("latencies", quantile, wholeMs)),
      ] as [Promise<Family>, ...Promise<Family>[]]);
      const none: Family = { metrics: [] };
      return joinRates({
        ...{ calls, errors: errors ?? none, p50: p50 ?? none, p95: p95 ?? none, p99: p99 ?? none },
        ...{ whole50: whole50 ?? none, whole95: whole95 ?? none, whole99: whole99 ?? none },
      });
    },
    enabled: asked.services.length > 0,
    staleTime: 30_000,
  });
}

/** @param everyMs step, and how far back each point looks */
function rateParameters(asked: RatesAsked, everyMs: number, quantile: string | undefined): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const service of asked.services) parameters.append("service", service);
  for (const kind of kindsOf[asked.kinds]) parameters.append("spanKind", kind);
  parameters.set("endTs", String(asked.endMs));
  parameters.set("lookback", String(asked.lookbackMs));
  parameters.set("step", String(everyMs));
  parameters.set("ratePer", String(everyMs));
  if (asked.byOperation) parameters.set("groupByOperation", "true");
  if (quantile !== undefined) parameters.set("quantile", quantile);
  return parameters;
}

type Families = Record<
  "calls" | "errors" | "p50" | "p95" | "p99" | "whole50" | "whole95" | "whole99",
  Family
>;

/** Puts what belongs to one service or operation together, at common times. Most calls first. */
export function joinRates(families: Families): Rates {
  const calls = seriesOf(families.calls);
  const times = [...new Set([...calls.values()].flatMap((series) => [...series.keys()]))].sort(
    (a, b) => a - b,
  );
  const read = {
    errors: seriesOf(families.errors),
    p50: seriesOf(families.p50),
    p95: seriesOf(families.p95),
    p99: seriesOf(families.p99),
  };
  const whole = {
    p50: seriesOf(families.whole50),
    p95: seriesOf(families.whole95),
    p99: seriesOf(families.whole99),
  };
  const rows = [...calls].map(([key, series]): RateRow => {
    const [service = "", operation = ""] = JSON.parse(key) as string[];
    const at = (from: Map<string, Map<number, number>>, scale = 1): Samples =>
      times.map((time) => {
        const value = from.get(key)?.get(time);
        return value === undefined ? null : value * scale;
      });
    const last = (from: Map<string, Map<number, number>>) => {
      const value = [...(from.get(key)?.values() ?? [])].at(-1);
      return value === undefined ? undefined : value * 1_000;
    };
    const errors = at(read.errors);
    let [sum, failed] = [0, 0];
    times.forEach((time, index) => {
      const rate = series.get(time) ?? 0;
      sum += rate;
      failed += rate * (errors[index] ?? 0);
    });
    return {
      ...{ service, operation, errors, calls: at(calls) },
      ...{ p50: at(read.p50, 1_000), p95: at(read.p95, 1_000), p99: at(read.p99, 1_000) },
      whole: {
        calls: times.length === 0 ? 0 : sum / times.length,
        errors: sum === 0 ? 0 : failed / sum,
        ...{ p50: last(whole.p50), p95: last(whole.p95), p99: last(whole.p99) },
      },
    };
  });
  return { times, rows: rows.sort((a, b) => b.whole.calls - a.whole.calls) };
}

/** Values by time, by `[service, operation]` as JSON. What is no number, such as a quantile of nothing, is left out. */
function seriesOf({ metrics }: Family): Map<string, Map<number, number>> {
  const all = new Map<string, Map<number, number>>();
  for (const { labels, metricPoints } of metrics) {
    const label = (name: string) => labels.find((entry) => entry.name === name)?.value ?? "";
    const series = new Map<number, number>();
    for (const { gaugeValue, timestamp } of metricPoints) {
      const value = gaugeValue.doubleValue;
      if (typeof value === "number") series.set(Date.parse(timestamp), value);
    }
    all.set(JSON.stringify([label("service_name"), label("operation")]), series);
  }
  return all;
}
