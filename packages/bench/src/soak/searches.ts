import { setTimeout as sleep } from "node:timers/promises";
import { LatencyHistogram } from "../e2e/load/tally.ts";
import type { SpanClock } from "./span-clock.ts";

/** Typical searches in the search form; names and values come from the corpus. */
const searches: readonly Readonly<Record<string, string>>[] = [
  { service: "frontend" },
  { service: "checkout", operation: "POST /orders" },
  { service: "frontend", tags: JSON.stringify({ "http.response.status_code": "503" }) },
  { service: "frontend", minDuration: "60ms" },
];
/** Look-back in the machine's time, so that a faster span clock does not change the number of spans searched. */
const lookBackMs = 900_000;
const timeoutMs = 30_000;
/**
 * Milliseconds during which a found trace may be unknown by its id. With a faster clock, the collector's time of
 * receipt is weeks old, and such a trace is found by its id only when its insert has ended.
 */
const unknownMs = 2_000;
const againMs = 50;

/** Sends one search after another, and requests the first trace of each result. */
export class Searches {
  readonly #url: string;
  readonly #pauseMs: number;
  readonly #clock: SpanClock;
  #latency = new LatencyHistogram();
  asked = 0;
  failed = 0;
  /** The last error. */
  failure = "";

  /** @param url base URL of the query API */
  constructor(url: string, pauseMs: number, clock: SpanClock) {
    this.#url = url;
    this.#clock = clock;
    this.#pauseMs = pauseMs;
  }

  /** Runs until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    for (let turn = 0; !signal.aborted; turn++) {
      const id = await this.#ask(`/api/traces?${this.#parameters(searches[turn % searches.length])}`);
      if (id !== undefined) {
        await this.#ask(`/api/traces/${id}`, this.#clock.speed === 1 ? 0 : unknownMs);
      }
      await sleep(this.#pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /**
   * 95th percentile in milliseconds of the requests answered since the previous call; undefined when there were none.
   */
  takeP95(): number | undefined {
    const { p95, max } = this.#latency.percentiles();
    this.#latency = new LatencyHistogram();
    return max === 0 ? undefined : p95;
  }

  /** @param unknownForMs milliseconds during which a 404 is repeated @returns the id of the first trace found */
  async #ask(path: string, unknownForMs = 0): Promise<string | undefined> {
    const startedAt = performance.now();
    this.asked++;
    try {
      const answer = await fetch(this.#url + path, { signal: AbortSignal.timeout(timeoutMs) });
      const text = await answer.text();
      if (answer.status === 404 && unknownForMs > 0) {
        await sleep(againMs);
        return await this.#ask(path, unknownForMs - againMs);
      }
      if (!answer.ok) {
        throw new Error(`${answer.status}: ${text.slice(0, 200)}`);
      }
      this.#latency.record(performance.now() - startedAt);
      const { data } = JSON.parse(text) as { data: { traceID: string }[] | null };
      return data?.[0]?.traceID;
    } catch (error) {
      this.failed++;
      this.failure = error instanceof Error ? error.message : String(error);
      return undefined;
    }
  }

  #parameters(search: Readonly<Record<string, string>> = {}): URLSearchParams {
    const endMs = Math.floor(this.#clock.nowMs());
    const startMs = endMs - lookBackMs * this.#clock.speed;
    return new URLSearchParams({ start: `${startMs}000`, end: `${endMs}000`, limit: "20", ...search });
  }
}
