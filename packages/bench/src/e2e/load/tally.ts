import { createHistogram } from "node:perf_hooks";
import type { ExportAnswer } from "../exporters/exporter.ts";

/** Latencies in milliseconds. */
export interface Latency {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

/** Number of answers other than success with the same code. */
export interface ReasonCount {
  readonly reason: string;
  readonly calls: number;
  /** The receiver's newest error text, at most 200 characters. */
  readonly lastDetail: string;
}

const maxDetailLength = 200;

/** Percentiles of any number of durations, with little memory and an accuracy of three digits. */
export class LatencyHistogram {
  readonly #histogram = createHistogram({ figures: 3 });

  record(ms: number): void {
    this.#histogram.record(Math.max(1, Math.round(ms * 1000)));
  }

  /** All values are zero when nothing was recorded. */
  percentiles(): Latency {
    const histogram = this.#histogram;
    if (histogram.count === 0) {
      return { p50: 0, p95: 0, p99: 0, max: 0 };
    }
    const at = (percent: number) => histogram.percentile(percent) / 1000;
    return { p50: at(50), p95: at(95), p99: at(99), max: histogram.max / 1000 };
  }
}

/** Counts the answers to export calls. */
export class Tally {
  readonly calls = { accepted: 0, refused: 0, unanswered: 0, failed: 0 };
  readonly #reasons = new Map<string, ReasonCount>();
  readonly #latency = new LatencyHistogram();

  /** @param tookMs milliseconds from sending to the answer */
  add(answer: ExportAnswer, tookMs: number): void {
    this.calls[answer.outcome]++;
    if (answer.outcome === "accepted") {
      this.#latency.record(tookMs);
      return;
    }
    const calls = (this.#reasons.get(answer.reason)?.calls ?? 0) + 1;
    const lastDetail = answer.detail.slice(0, maxDetailLength);
    this.#reasons.set(answer.reason, { reason: answer.reason, calls, lastDetail });
  }

  get reasons(): ReasonCount[] {
    return [...this.#reasons.values()];
  }

  /** Latency of accepted calls only: refusals are fast and would improve the figure. */
  latencyMs(): Latency {
    return this.#latency.percentiles();
  }
}
