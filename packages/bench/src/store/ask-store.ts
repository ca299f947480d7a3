import type { TraceQuery, TraceStore } from "storage/api";
import { largeTrace } from "./fill-store.ts";
import { storeCost, storeSql } from "./store-sql.ts";

/** How one kind of question did; figures are those of the median request. */
export interface AskReport {
  readonly name: string;
  readonly traces: number;
  readonly wallMs: number;
  /** Of the engine. */
  readonly cpuMs: number;
  /** Of this process: decoding rows into spans. */
  readonly clientCpuMs: number;
  readonly rows: number;
  readonly bytes: number;
}

interface Question {
  readonly name: string;
  ask(attempt: number): Promise<number>;
}

const hourNano = 3_600_000_000_000n;

/** What people ask in the search form, within the newest hour or over everything. */
async function questionsOf(
  store: TraceStore,
  url: string,
  database: string,
  endUnixMs: number,
): Promise<Question[]> {
  const end = BigInt(endUnixMs) * 1_000_000n;
  const hour = { startTimeMinUnixNano: end - hourNano, startTimeMaxUnixNano: end };
  const all = { startTimeMinUnixNano: end - 10_000n * hourNano, startTimeMaxUnixNano: end };
  const samples = (
    await storeSql(
      url,
      `SELECT lower(hex(trace_id)), attributes.value[indexOf(attributes.key, 'http.request.id')] FROM ${database}.spans ` +
        "WHERE has(attributes.key, 'http.request.id') ORDER BY cityHash64(trace_id) LIMIT 50 FORMAT TSV",
    )
  )
    .split("\n")
    .map((line) => line.split("\t"));
  const sample = (attempt: number) => samples[attempt % samples.length] ?? [];
  const rare = (attempt: number) => new Map([["http.request.id", sample(attempt)[1] ?? ""]]);
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
      ask: async (attempt) => (await store.reader.getTraces([sample(attempt)[0] ?? ""])).length,
    },
    {
      name: "trace of 50,000 spans",
      ask: async () => (await store.reader.getTraces([largeTrace.traceId])).length,
    },
  ];
}

/**
 * Asks each question so often, one after another; nobody else may use the store meanwhile.
 * @param endUnixMs as it was filled
 */
export async function askStore(
  store: TraceStore,
  url: string,
  database: string,
  endUnixMs: number,
  times: number,
): Promise<AskReport[]> {
  const reports: AskReport[] = [];
  for (const question of await questionsOf(store, url, database, endUnixMs)) {
    const asked: Omit<AskReport, "name">[] = [];
    for (let attempt = 0; attempt < times; attempt++) {
      const before = await storeCost(url);
      const between = await storeCost(url);
      const client = process.cpuUsage();
      const startedAt = performance.now();
      const traces = await question.ask(attempt);
      const wallMs = performance.now() - startedAt;
      const { user, system } = process.cpuUsage(client);
      const after = await storeCost(url);
      // Less what asking for the cost costs.
      const cost = (key: "rows" | "bytes" | "cpuMs") =>
        after[key] - between[key] - (between[key] - before[key]);
      asked.push({
        ...{ traces, wallMs, clientCpuMs: (user + system) / 1000 },
        ...{ cpuMs: cost("cpuMs"), rows: cost("rows"), bytes: cost("bytes") },
      });
    }
    const median = (key: keyof Omit<AskReport, "name">) =>
      asked.map((one) => one[key]).sort((one, other) => one - other)[asked.length >> 1] ?? 0;
    reports.push({
      name: question.name,
      ...{ traces: median("traces"), wallMs: median("wallMs"), cpuMs: median("cpuMs") },
      ...{ clientCpuMs: median("clientCpuMs"), rows: median("rows"), bytes: median("bytes") },
    });
  }
  return reports;
}
