import type { TimeRange, TraceStore } from "storage/api";
import { parseTraceQl } from "traceql";
import type { Question } from "./store-questions.ts";

const minuteNano = 60_000_000_000n;
const frontend = '{ resource.service.name = "frontend" }';

/** Number of times over which `eachOfOtherTime` rotates: so many that each is used once in some seconds. */
const otherTimes = 50;

/**
 * The same questions, each request for a time that ends a minute earlier, so that no answer is cached.
 * @param endUnixMs the same value as when the store was filled
 */
export function eachOfOtherTime(store: TraceStore, endUnixMs: number): Question[] {
  const [newest = [], ...others] = Array.from({ length: otherTimes }, (_, minutes) =>
    countingQuestions(store, endUnixMs - minutes * 60_000),
  );
  return newest.map(({ name, ask }, index) => ({
    name,
    ask: async (attempt) => await (others[attempt % otherTimes]?.[index]?.ask ?? ask)(attempt),
  }));
}

/**
 * Questions whose answers count spans, over the newest minute and the newest hour; the first question is a search that
 * counts nothing.
 * @param endUnixMs the same value as when the store was filled
 */
export function countingQuestions(store: TraceStore, endUnixMs: number): Question[] {
  const endUnixNano = BigInt(endUnixMs) * 1_000_000n;
  const of = (name: string, minutes: bigint): Question[] => {
    const range = { startUnixNano: endUnixNano - minutes * minuteNano, endUnixNano };
    return [
      ...searches(store, range),
      ...analyses(store, range),
      ...figures(store, range),
      ...sums(store, range, endUnixMs),
    ].map((question) => ({ ...question, name: `${question.name}, ${name}` }));
  };
  return [...of("minute", 1n), ...of("hour", 60n)];
}

function searches({ reader, traceql, catalog }: TraceStore, range: TimeRange): Question[] {
  const times = { startTimeMinUnixNano: range.startUnixNano, startTimeMaxUnixNano: range.endUnixNano };
  const search = (name: string, text: string): Question => {
    const query = parseTraceQl(text);
    return {
      name: `TraceQL search, ${name}`,
      ask: async () => (await traceql.search({ query, range, limit: 20, spansPerSpanset: 3 })).traces.length,
    };
  };
  return [
    {
      name: "newest 20 traces of a service",
      ask: async () => (await reader.findTraces({ service: "frontend", limit: 20, ...times })).length,
    },
    search("attribute", "{ span.http.response.status_code = 503 }"),
    search("count()", `${frontend} | count() > 3`),
    search(">>", `${frontend} >> { resource.service.name = "payment" }`),
    { name: "names of tags", ask: async () => (await catalog.names({ range, limit: 100 })).length },
    {
      name: "values of a tag",
      ask: async () =>
        (await catalog.values({ scope: "span", name: "http.response.status_code", range, limit: 100 }))
          .length,
    },
  ];
}

function figures({ traceql }: TraceStore, range: TimeRange): Question[] {
  const metrics = (name: string, text: string): Question => {
    const query = parseTraceQl(text);
    const asked = { query, range, stepNano: minuteNano, maxSeries: 100, exemplars: false };
    return {
      name: `TraceQL metrics, ${name}`,
      ask: async () => (await traceql.metrics(asked)).series.length,
    };
  };
  return [
    metrics("rate()", "{ } | rate() by(resource.service.name)"),
    metrics("quantile_over_time()", `${frontend} | quantile_over_time(duration, .95) by(name)`),
    metrics("count_over_time()", "{ status = error } | count_over_time()"),
  ];
}

function analyses({ analysis }: TraceStore, range: TimeRange): Question[] {
  const background = {
    ...{ service: "frontend", startTimeMinUnixNano: range.startUnixNano },
    startTimeMaxUnixNano: range.endUnixNano,
  };
  const selection = { ...background, durationMinNano: 60_000_000n };
  const operation = { service: "checkout", operation: "POST /orders" };
  return [
    {
      name: "heat map of a service",
      ask: async () => (await analysis.getHeatMap({ service: "frontend", range, columns: 60 })).cells.length,
    },
    {
      name: "comparison with other spans",
      ask: async () =>
        (await analysis.compareAttributes({ selection, background, limit: 20 })).differences.length,
    },
    {
      name: "comparison of two times",
      ask: async () =>
        (await analysis.comparePopulations({ a: selection, b: background, limit: 20 })).operations.length,
    },
    {
      name: "percentile of a duration",
      ask: async () =>
        (await analysis.getDurationRank({ ...operation, durationNano: 10_000_000n, range }))?.peers ?? 0,
    },
  ];
}

/** Answers read from sums, from which spans stored twice are subtracted when they are found. */
function sums(
  { analysis, dependencies, metrics }: TraceStore,
  range: TimeRange,
  endUnixMs: number,
): Question[] {
  const rates = {
    ...{ services: ["frontend", "checkout"], spanKinds: ["server"] as const, groupByOperation: true },
    ...{ startUnixMs: Number(range.startUnixNano / 1_000_000n), endUnixMs },
    ...{ stepMs: 60_000, ratePerMs: 600_000 },
  };
  return [
    {
      name: "top operations",
      ask: async () => (await analysis.getTopOperations({ range, order: "p95", limit: 20 })).length,
    },
    { name: "RED: call rates", ask: async () => (await metrics.getCallRates(rates)).length },
    {
      name: "RED: latencies",
      ask: async () => (await metrics.getLatencies({ ...rates, quantile: 0.95 })).length,
    },
    { name: "dependencies", ask: async () => (await dependencies.getDependencies(range)).length },
  ];
}
