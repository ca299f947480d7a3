import { type Latency, LatencyHistogram } from "../e2e/load/tally.ts";

/** How one kind of query did. */
export interface QueryReport {
  readonly name: string;
  readonly requests: number;
  /** Answers without any trace: 404, or an empty list. They are not in the latency. */
  readonly empty: number;
  readonly latencyMs: Latency;
}

interface Query {
  readonly name: string;
  readonly path: (attempt: number) => string;
}

const maxMsEach = 10_000;
const timeoutMs = 30_000;

function search(parameters: Readonly<Record<string, string>>): string {
  const nowUs = Date.now() * 1000;
  const hourUs = 3_600_000_000;
  const all = { start: String(nowUs - hourUs), end: String(nowUs), limit: "20", ...parameters };
  return `/api/traces?${new URLSearchParams(all)}`;
}

/** Searches that people make in the search form; names and values are those of the corpus. */
function queries(traceIds: readonly string[]): Query[] {
  const fixed = (name: string, parameters: Record<string, string>): Query => ({
    name,
    path: () => search(parameters),
  });
  return [
    fixed("search: service", { service: "frontend" }),
    fixed("search: operation", { service: "checkout", operation: "POST /orders" }),
    fixed("search: tag", {
      service: "frontend",
      tags: JSON.stringify({ "http.response.status_code": "503" }),
    }),
    fixed("search: duration", { service: "frontend", minDuration: "60ms" }),
    { name: "trace by id", path: (attempt) => `/api/traces/${traceIds[attempt % traceIds.length]}` },
  ];
}

/**
 * Asks one query after another, each kind for ten seconds at most.
 * @param traceIds of traces that should be stored, at least one
 * @param requestsEach of each kind
 * @throws Error when an answer is neither 200 nor 404
 */
export async function measureQueries(
  baseUrl: string,
  traceIds: readonly string[],
  requestsEach: number,
  signal: AbortSignal,
): Promise<QueryReport[]> {
  const reports: QueryReport[] = [];
  for (const { name, path } of queries(traceIds)) {
    const latency = new LatencyHistogram();
    const until = performance.now() + maxMsEach;
    let [requests, empty] = [0, 0];
    for (; requests < requestsEach && performance.now() < until && !signal.aborted; requests++) {
      const { traces, tookMs } = await ask(`${baseUrl}${path(requests)}`);
      if (traces === 0) {
        empty++;
      } else {
        latency.record(tookMs);
      }
    }
    reports.push({ name, requests, empty, latencyMs: latency.percentiles() });
  }
  return reports;
}

/** @returns how many traces the answer has, and how long it took to come whole */
async function ask(url: string): Promise<{ traces: number; tookMs: number }> {
  const startedAt = performance.now();
  const answer = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
  const text = await answer.text();
  const tookMs = performance.now() - startedAt;
  if (answer.status === 404) {
    return { traces: 0, tookMs };
  }
  if (!answer.ok) {
    throw new Error(`${url} answered ${answer.status}: ${text.slice(0, 200)}`);
  }
  const { data } = JSON.parse(text) as { data: unknown[] | null };
  return { traces: data?.length ?? 0, tookMs };
}
