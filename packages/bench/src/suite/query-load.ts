import { type Latency, LatencyHistogram } from "../e2e/load/tally.ts";

/** Results of one kind of query. */
export interface QueryReport {
  readonly name: string;
  readonly requests: number;
  /** Answers without any trace: 404, or an empty list. Such answers are not in the latency. */
  readonly empty: number;
  readonly latencyMs: Latency;
}

export interface SearchKind {
  readonly name: string;
  /** Returns path and query of a request for the newest data. */
  readonly path: () => string;
}

const maxMsEach = 10_000;
const timeoutMs = 30_000;

function search(parameters: Readonly<Record<string, string>>): string {
  const nowUs = Date.now() * 1000;
  const hourUs = 3_600_000_000;
  const all = { start: String(nowUs - hourUs), end: String(nowUs), limit: "20", ...parameters };
  return `/api/traces?${new URLSearchParams(all)}`;
}

/** Typical searches in the search form; names and values come from the corpus. */
export const searchKinds: readonly SearchKind[] = [
  { name: "search: service", path: () => search({ service: "frontend" }) },
  { name: "search: operation", path: () => search({ service: "checkout", operation: "POST /orders" }) },
  {
    name: "search: tag",
    path: () => search({ service: "frontend", tags: JSON.stringify({ "http.response.status_code": "503" }) }),
  },
  { name: "search: duration", path: () => search({ service: "frontend", minDuration: "60ms" }) },
];

/**
 * Sends one query after another, each kind for at most ten seconds.
 * @param traceIds ids of traces that should be stored, at least one
 * @param requestsEach number of requests of each kind
 * @throws Error when an answer is neither 200 nor 404
 */
export async function measureQueries(
  baseUrl: string,
  traceIds: readonly string[],
  requestsEach: number,
  signal: AbortSignal,
): Promise<QueryReport[]> {
  const reports: QueryReport[] = [];
  let next = 0;
  const byId = {
    name: "trace by id",
    path: () => `/api/traces/${traceIds[next++ % traceIds.length]}`,
  };
  for (const { name, path } of [...searchKinds, byId]) {
    const latency = new LatencyHistogram();
    const until = performance.now() + maxMsEach;
    let [requests, empty] = [0, 0];
    for (; requests < requestsEach && performance.now() < until && !signal.aborted; requests++) {
      const { traces, tookMs } = await askForTraces(`${baseUrl}${path()}`);
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

/**
 * Requests a search or a trace.
 * @returns number of traces in the answer (0 for 404), and milliseconds until the whole answer had arrived
 * @throws Error when the answer is neither 200 nor 404, or does not arrive within 30 s
 */
export async function askForTraces(url: string): Promise<{ traces: number; tookMs: number }> {
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
