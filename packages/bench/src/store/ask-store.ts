import type { TraceStore } from "storage/api";
import { storeQuestions } from "./store-questions.ts";
import { storeCost } from "./store-sql.ts";

/** Results of one kind of question; the values come from the median request. */
export interface AskReport {
  readonly name: string;
  /** Median of the traces, or of other results, that one call returned. */
  readonly results: number;
  readonly wallMs: number;
  readonly wallMinMs: number;
  readonly wallP95Ms: number;
  /** Processor time of the engine. */
  readonly cpuMs: number;
  /** Processor time of this process, which decodes rows to spans, in milliseconds. */
  readonly clientCpuMs: number;
  readonly rows: number;
  readonly bytes: number;
}

/**
 * Asks each question this many times, one request after another; no other client may use the store meanwhile.
 * @param endUnixMs the same value as when the store was filled
 */
export async function askStore(
  store: TraceStore,
  url: string,
  database: string,
  endUnixMs: number,
  times: number,
): Promise<AskReport[]> {
  const reports: AskReport[] = [];
  for (const question of await storeQuestions(store, url, database, endUnixMs)) {
    const asked: Omit<AskReport, "name" | "wallMinMs" | "wallP95Ms">[] = [];
    for (let attempt = 0; attempt < times; attempt++) {
      const before = await storeCost(url);
      const between = await storeCost(url);
      const client = process.cpuUsage();
      const startedAt = performance.now();
      const results = await question.ask(attempt);
      const wallMs = performance.now() - startedAt;
      const { user, system } = process.cpuUsage(client);
      const after = await storeCost(url);
      // The cost of reading the cost is subtracted.
      const cost = (key: "rows" | "bytes" | "cpuMs") =>
        after[key] - between[key] - (between[key] - before[key]);
      asked.push({
        ...{ results, wallMs, clientCpuMs: (user + system) / 1000 },
        ...{ cpuMs: cost("cpuMs"), rows: cost("rows"), bytes: cost("bytes") },
      });
    }
    const at = (key: keyof (typeof asked)[number], share: number) =>
      asked.map((one) => one[key]).sort((one, other) => one - other)[Math.floor(asked.length * share)] ?? 0;
    reports.push({
      name: question.name,
      ...{ results: at("results", 0.5), cpuMs: at("cpuMs", 0.5), clientCpuMs: at("clientCpuMs", 0.5) },
      ...{ wallMs: at("wallMs", 0.5), wallMinMs: at("wallMs", 0), wallP95Ms: at("wallMs", 0.95) },
      ...{ rows: at("rows", 0.5), bytes: at("bytes", 0.5) },
    });
  }
  return reports;
}
