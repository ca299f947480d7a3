import type { TraceQuery, TraceStore } from "storage/api";
import { largeTrace } from "./fill-store.ts";
import { storeSql } from "./store-sql.ts";

const hourNano = 3_600_000_000_000n;

/** One kind of question, with a function that asks it. */
export interface Question {
  readonly name: string;
  /** @returns number of results in the answer */
  ask(attempt: number): Promise<number>;
}

/** A stored span with a unique tag. */
export interface StoredSample {
  /** 32 hex digits. */
  readonly traceId: string;
  /** Value of its tag `http.request.id`. */
  readonly requestId: string;
}

/** Returns one of fifty samples for each attempt. @throws Error when no span has the tag */
export async function storedSamples(
  url: string,
  database: string,
): Promise<(attempt: number) => StoredSample> {
  const lines = await storeSql(
    url,
    `SELECT lower(hex(trace_id)), splitByChar('\\xFF', splitByString('\\xFFhttp.request.id\\xFEs', attribute_text)[2])[1] FROM ${database}.spans ` +
      "WHERE position(attribute_text, '\\xFFhttp.request.id\\xFEs') > 0 ORDER BY cityHash64(trace_id) LIMIT 50 FORMAT TSV",
  );
  const samples = lines.split("\n").map((line): StoredSample => {
    const [traceId = "", requestId = ""] = line.split("\t");
    return { traceId, requestId };
  });
  return (attempt) => {
    const sample = samples[attempt % samples.length];
    if (sample === undefined || sample.requestId === "") {
      throw new Error("no span has an http.request.id");
    }
    return sample;
  };
}

/**
 * Typical questions of the search form, within the newest hour or over all spans. The list also has the questions of
 * the pages for names, dependencies, rates and analysis.
 * @param endUnixMs the same value as when the store was filled
 */
export async function storeQuestions(
  store: TraceStore,
  url: string,
  database: string,
  endUnixMs: number,
): Promise<Question[]> {
  const end = BigInt(endUnixMs) * 1_000_000n;
  const hour = { startTimeMinUnixNano: end - hourNano, startTimeMaxUnixNano: end };
  const all = { startTimeMinUnixNano: end - 10_000n * hourNano, startTimeMaxUnixNano: end };
  const sample = await storedSamples(url, database);
  const rare = (attempt: number) => new Map([["http.request.id", sample(attempt).requestId]]);
  const search = (name: string, query: (attempt: number) => Omit<TraceQuery, "limit">): Question => ({
    name,
    ask: async (attempt) => (await store.reader.findTraces({ limit: 20, ...query(attempt) })).length,
  });
  const failed = new Map([["http.response.status_code", "503"]]);
  return [
    search("newest 20 of a service, hour", () => ({ service: "frontend", ...hour })),
    search("newest 20 of a service, all", () => ({ service: "frontend", ...all })),
    search("operation, hour", () => ({ service: "checkout", operation: "POST /orders", ...hour })),
    search("service and tag, hour", () => ({ service: "frontend", tags: failed, ...hour })),
    search("service and tag, all", () => ({ service: "frontend", tags: failed, ...all })),
    search("error=true, all", () => ({ service: "frontend", tags: new Map([["error", "true"]]), ...all })),
    search("rare tag, every service, hour", (attempt) => ({ tags: rare(attempt), ...hour })),
    search("rare tag, every service, all", (attempt) => ({ tags: rare(attempt), ...all })),
    search("duration, hour", () => ({ service: "frontend", durationMinNano: 60_000_000n, ...hour })),
    search("long durations, every service, all", () => ({ durationMinNano: 190_000_000n, ...all })),
    {
      name: "trace by id",
      ask: async (attempt) => (await store.reader.getTraces([sample(attempt).traceId])).length,
    },
    {
      name: "trace of 50,000 spans",
      ask: async () => (await store.reader.getTraces([largeTrace.traceId])).length,
    },
    ...pageQuestions(store, endUnixMs),
  ];
}

function pageQuestions(
  { reader, dependencies, metrics, analysis }: TraceStore,
  endUnixMs: number,
): Question[] {
  const endUnixNano = BigInt(endUnixMs) * 1_000_000n;
  const hour = { startUnixNano: endUnixNano - hourNano, endUnixNano };
  const day = { startUnixNano: endUnixNano - 24n * hourNano, endUnixNano };
  const hourOfSpans = { startTimeMinUnixNano: hour.startUnixNano, startTimeMaxUnixNano: endUnixNano };
  const ofDay = {
    ...{
      services: ["frontend", "checkout", "payment"],
      spanKinds: ["server"] as const,
      groupByOperation: true,
    },
    ...{ startUnixMs: endUnixMs - 24 * 3_600_000, endUnixMs, stepMs: 60_000, ratePerMs: 600_000 },
  };
  return [
    { name: "services", ask: async () => (await reader.getServices()).length },
    { name: "operations", ask: async () => (await reader.getOperations({ service: "frontend" })).length },
    { name: "dependencies, day", ask: async () => (await dependencies.getDependencies(day)).length },
    { name: "call rates, day", ask: async () => (await metrics.getCallRates(ofDay)).length },
    {
      name: "latencies, day",
      ask: async () => (await metrics.getLatencies({ ...ofDay, quantile: 0.95 })).length,
    },
    {
      name: "heat map of a service, hour",
      ask: async () =>
        (await analysis.getHeatMap({ service: "frontend", range: hour, columns: 60 })).cells.length,
    },
    {
      name: "attribute comparison, hour",
      ask: async () => {
        const background = { service: "frontend", ...hourOfSpans };
        const selection = { ...background, durationMinNano: 60_000_000n };
        return (await analysis.compareAttributes({ selection, background, limit: 20 })).differences.length;
      },
    },
  ];
}
