import { setTimeout as sleep } from "node:timers/promises";
import { type Latency, LatencyHistogram } from "../e2e/load/tally.ts";
import { askForTraces, type SearchKind } from "../suite/query-load.ts";

/** Results of one kind of search in one phase. */
export interface PacedReport {
  readonly name: string;
  readonly asked: number;
  /** Number of answers without a trace; they are not in the latency. */
  readonly empty: number;
  readonly failed: number;
  /** The last error; "" when no request failed. */
  readonly failure: string;
  readonly latencyMs: Latency;
}

/**
 * Sends each kind of search at a steady pace until the signal is aborted; the kinds are spread over the pause. A kind
 * that takes longer than the pause skips the missed requests, so that a slow store does not get more and more
 * concurrent requests.
 * @param url base URL of the query API
 * @param pauseMs milliseconds between the starts of two questions of a kind
 */
export function pacedSearches(
  url: string,
  kinds: readonly SearchKind[],
  pauseMs: number,
  signal: AbortSignal,
): Promise<PacedReport[]> {
  return Promise.all(
    kinds.map((kind, index) =>
      askAtPace(url, kind, { pauseMs, firstMs: (index * pauseMs) / kinds.length }, signal),
    ),
  );
}

async function askAtPace(
  url: string,
  { name, path }: SearchKind,
  { pauseMs, firstMs }: { readonly pauseMs: number; readonly firstMs: number },
  signal: AbortSignal,
): Promise<PacedReport> {
  const latency = new LatencyHistogram();
  const startedAt = performance.now() + firstMs;
  let [asked, empty, failed, failure] = [0, 0, 0, ""];
  for (let turn = 0; !signal.aborted; ) {
    const waitMs = Math.max(0, startedAt + turn * pauseMs - performance.now());
    await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) {
      break;
    }
    asked++;
    try {
      const { traces, tookMs } = await askForTraces(url + path());
      if (traces === 0) {
        empty++;
      } else {
        latency.record(tookMs);
      }
    } catch (error) {
      failed++;
      failure = error instanceof Error ? error.message : String(error);
    }
    turn = Math.max(turn + 1, Math.ceil((performance.now() - startedAt) / pauseMs));
  }
  return { name, asked, empty, failed, failure, latencyMs: latency.percentiles() };
}
