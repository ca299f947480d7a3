import { setTimeout as sleep } from "node:timers/promises";
import { ask } from "../../src/tracing-api/ask.ts";

/** The answers to searches so far. */
export interface SearchCounts {
  /** Number of answers with status 200. */
  good: number;
  /** Answers that report missing rows. */
  partial: number;
  /** All other answers, or the errors of the requests. */
  readonly bad: string[];
  slowestMs: number;
  /** Path of the slowest answer. */
  slowest: string;
}

const maxBadLength = 300;
const pauseMs = 20;

/** Sends searches in several loops until it is stopped. */
export class Searchers {
  readonly counts: SearchCounts = { good: 0, partial: 0, bad: [], slowestMs: 0, slowest: "" };
  readonly #stop = new AbortController();
  readonly #loops: readonly Promise<void>[];

  /** @param paths paths of the query service's API; each is requested in a loop */
  constructor(queryUrl: string, paths: readonly string[]) {
    this.#loops = paths.map((path) => this.#search(queryUrl + path));
  }

  /** Resolves when running requests have ended. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#loops);
  }

  async #search(url: string): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const startMs = performance.now();
      try {
        const { status, text } = await ask(url);
        if (status === 200) {
          this.counts.good++;
          this.counts.partial += Number(/"partial":true|"status":"PARTIAL"/.test(text));
        } else {
          this.counts.bad.push(`${url}: ${status} ${text.slice(0, maxBadLength)}`);
        }
      } catch (error) {
        this.counts.bad.push(`${url}: ${String(error)}`);
      }
      const ms = Math.round(performance.now() - startMs);
      if (ms > this.counts.slowestMs) {
        this.counts.slowestMs = ms;
        this.counts.slowest = url;
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
  }
}
