import { setTimeout as sleep } from "node:timers/promises";
import { type Latency, LatencyHistogram } from "../e2e/load/tally.ts";
import { askForTraces } from "../suite/query-load.ts";
import type { RecentTraces } from "./recent-traces.ts";

/** Time from the acknowledgement of a trace until it is found. */
export interface FreshnessReport {
  readonly probes: number;
  /** Traces not found within `probeLimitMs`; the latency includes them with the time until they were given up. */
  readonly notFound: number;
  /** Milliseconds from the acknowledgement to the first answer with the trace; up to `lookMs` too long. */
  readonly latencyMs: Latency;
}

const lookMs = 50;
const probeLimitMs = 30_000;

/**
 * Searches for the newest acknowledged trace until it is found, then for the next one, until the signal is aborted.
 * @param url base URL of the query API
 * @param pauseMs milliseconds between the starts of two probes
 */
export async function measureFreshness(
  url: string,
  traces: RecentTraces,
  pauseMs: number,
  signal: AbortSignal,
): Promise<FreshnessReport> {
  const latency = new LatencyHistogram();
  let [probes, notFound] = [0, 0];
  while (!signal.aborted) {
    const beganAt = performance.now();
    const trace = traces.newest();
    if (trace !== undefined) {
      probes++;
      const found = await waitForTrace(`${url}/api/traces/${trace.id}`, trace.acknowledgedAt + probeLimitMs);
      notFound += found ? 0 : 1;
      latency.record(performance.now() - trace.acknowledgedAt);
    }
    const waitMs = Math.max(0, beganAt + pauseMs - performance.now());
    await sleep(waitMs, undefined, { signal }).catch(() => undefined);
  }
  return { probes, notFound, latencyMs: latency.percentiles() };
}

/** @returns false when the trace was not found by `until`; a failed request is repeated */
async function waitForTrace(url: string, until: number): Promise<boolean> {
  while (performance.now() < until) {
    const lookedAt = performance.now();
    const { traces } = await askForTraces(url).catch(() => ({ traces: 0 }));
    if (traces > 0) {
      return true;
    }
    await sleep(Math.max(0, lookedAt + lookMs - performance.now()));
  }
  return false;
}
