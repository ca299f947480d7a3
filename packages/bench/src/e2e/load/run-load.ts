import { setTimeout as sleep } from "node:timers/promises";
import type { Batch } from "../../corpus/batch-template.ts";
import type { Corpus } from "../../corpus/corpus.ts";
import type { ExportAnswer, Exporter } from "../exporters/exporter.ts";
import { type Latency, type ReasonCount, Tally } from "./tally.ts";

/** Amount and rate of the load. */
export interface LoadPlan {
  /** Spans per second over all clients; 0 means as fast as answers arrive. */
  readonly rate: number;
  /** Number of clients; each has one call at a time. */
  readonly concurrency: number;
  /** Number of spans, rounded up to whole batches, after which sending ends; may be Infinity. */
  readonly totalSpans: number;
  /** Milliseconds after which sending ends; may be Infinity. */
  readonly durationMs: number;
  /**
   * A client whose batch is not accepted gives up when no batch of any client was accepted for this many milliseconds.
   * Until then the client retries, also after the end of sending.
   */
  readonly stallMs: number;
  /** The spans' clock, in milliseconds since the Unix epoch; the machine's clock by default. */
  readonly nowMs?: () => number;
  /** Called with each batch when it is acknowledged; the batch must not be used after the call. */
  readonly onAccepted?: (batch: Batch) => void;
}

export interface LoadResult {
  /** Seconds from the first call to the last acknowledgement. */
  readonly seconds: number;
  readonly calls: Readonly<Tally["calls"]>;
  /** Reasons why calls were not accepted. */
  readonly reasons: readonly ReasonCount[];
  readonly spans: {
    /** Acknowledged spans, without rejected ones. */
    readonly accepted: number;
    /** Spans that an accepting answer reported as rejected. */
    readonly rejected: number;
    /** Spans in batches that the receiver refused permanently. */
    readonly failed: number;
    /** Spans in batches that were still refused or unanswered at the end of the run. */
    readonly givenUp: number;
    /** Spans in batches that were sent again after a call without an answer: the receiver may have them twice. */
    readonly perhapsTwice: number;
  };
  readonly latencyMs: Latency;
  /** With a rate: longest delay of a batch after its planned time. */
  readonly behindMs: number;
  /** Ids of some accepted traces, 32 hex digits. */
  readonly traceIds: readonly string[];
}

const firstBackoffMs = 100;
const maxBackoffMs = 5000;
const maxTraceIds = 200;

/**
 * Sends requests of a corpus, like many SDKs at the same time. Each client waits for the answer to its batch, pauses
 * for the time in the answer, and repeats the batch until it is accepted.
 * @param signal ends sending early; batches not accepted by then are given up
 */
export async function runLoad(
  exporter: Exporter,
  corpus: Corpus,
  plan: LoadPlan,
  signal: AbortSignal,
): Promise<LoadResult> {
  const load = new Load(exporter, corpus, plan, signal);
  await Promise.all(Array.from({ length: plan.concurrency }, () => load.runClient()));
  return load.result();
}

class Load {
  readonly #exporter: Exporter;
  readonly #corpus: Corpus;
  readonly #plan: LoadPlan;
  readonly #signal: AbortSignal;
  readonly #startedAt = performance.now();
  readonly #tally = new Tally();
  readonly #spans = { accepted: 0, rejected: 0, failed: 0, givenUp: 0, perhapsTwice: 0 };
  readonly #traceIds: string[] = [];
  #plannedSpans = 0;
  #lastAcceptedAt = this.#startedAt;
  #behindMs = 0;

  constructor(exporter: Exporter, corpus: Corpus, plan: LoadPlan, signal: AbortSignal) {
    this.#exporter = exporter;
    this.#corpus = corpus;
    this.#plan = plan;
    this.#signal = signal;
  }

  async runClient(): Promise<void> {
    while ((await this.#nextIsDue()) && (await this.#deliver(this.#corpus.next(this.#plan.nowMs?.())))) {}
  }

  /** Waits until the next batch is due. @returns false when no batch is left */
  async #nextIsDue(): Promise<boolean> {
    const { rate, totalSpans, durationMs } = this.#plan;
    if (this.#plannedSpans >= totalSpans) {
      return false;
    }
    const now = performance.now() - this.#startedAt;
    const dueAt = rate === 0 ? now : (this.#plannedSpans / rate) * 1000;
    if (Math.max(dueAt, now) >= durationMs) {
      return false;
    }
    this.#plannedSpans += this.#corpus.batchSpans;
    await this.#wait(dueAt - now);
    this.#behindMs = Math.max(this.#behindMs, performance.now() - this.#startedAt - dueAt);
    return !this.#signal.aborted;
  }

  /** @returns false when the batch was given up, and the client with it */
  async #deliver(batch: Batch): Promise<boolean> {
    const { stallMs } = this.#plan;
    const takenAt = performance.now();
    let unanswered = false;
    for (let attempt = 0; ; attempt++) {
      const sentAt = performance.now();
      const answer = await this.#exporter.export(batch);
      const now = performance.now();
      this.#tally.add(answer, now - sentAt);
      unanswered ||= answer.outcome === "unanswered";
      if (answer.outcome === "accepted" || answer.outcome === "failed") {
        this.#count(batch, answer, now, unanswered);
        // A call without an answer may still use the bytes of the batch.
        if (!unanswered) {
          this.#corpus.giveBack(batch);
        }
        return true;
      }
      const delayMs = retryDelayMs(answer, attempt);
      if (delayMs <= stallMs) {
        await this.#wait(delayMs);
      }
      const stalledMs = performance.now() - Math.max(this.#lastAcceptedAt, takenAt);
      if (delayMs > stallMs || stalledMs > stallMs || this.#signal.aborted) {
        this.#spans.givenUp += batch.spanCount;
        return false;
      }
    }
  }

  #count(batch: Batch, answer: ExportAnswer, now: number, unansweredBefore: boolean): void {
    if (answer.outcome !== "accepted") {
      this.#spans.failed += batch.spanCount;
      return;
    }
    this.#lastAcceptedAt = now;
    this.#spans.accepted += batch.spanCount - answer.rejectedSpans;
    this.#spans.rejected += answer.rejectedSpans;
    this.#plan.onAccepted?.(batch);
    if (unansweredBefore) {
      this.#spans.perhapsTwice += batch.spanCount;
    }
    if (this.#traceIds.length < maxTraceIds) {
      this.#traceIds.push(batch.body.toString("hex", batch.traceIdAt, batch.traceIdAt + 16));
    }
  }

  async #wait(ms: number): Promise<void> {
    if (ms <= 0) {
      return;
    }
    // An abort only ends the wait; the caller checks the signal.
    await sleep(ms, undefined, { signal: this.#signal }).catch(() => undefined);
  }

  result(): LoadResult {
    return {
      seconds: (this.#lastAcceptedAt - this.#startedAt) / 1000,
      calls: this.#tally.calls,
      reasons: this.#tally.reasons,
      spans: this.#spans,
      latencyMs: this.#tally.latencyMs(),
      behindMs: this.#plan.rate === 0 ? 0 : this.#behindMs,
      traceIds: this.#traceIds,
    };
  }
}

/**
 * The pause that the receiver requested; otherwise it doubles with each attempt, with a random part, so that clients do
 * not retry at the same time.
 */
function retryDelayMs(answer: ExportAnswer, attempt: number): number {
  if (answer.outcome === "refused" && answer.retryAfterMs !== undefined) {
    return answer.retryAfterMs;
  }
  return Math.min(maxBackoffMs, firstBackoffMs * 2 ** attempt) * (0.5 + Math.random() / 2);
}
