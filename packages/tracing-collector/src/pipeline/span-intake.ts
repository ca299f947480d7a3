import type { Logger } from "lifecycle";
import type { SpanRows, TranscodeResult } from "wire/rows";
import { CollectorError } from "../errors.ts";
import type { CollectorMetrics, SpanSource } from "../metrics.ts";
import type { SpanJournal } from "./journal/span-journal.ts";
import type { RecentBatches } from "./recent-batches.ts";
import type { RowStep } from "./row-step.ts";

/** What is behind every way in. */
export interface Pipeline {
  readonly journal: Pick<SpanJournal, "append">;
  readonly metrics: CollectorMetrics;
  /** What happens to the rows before the journal; none by default, and the rows pass untouched. */
  readonly steps?: readonly RowStep[] | undefined;
  /** Batches that came a short while ago; where it is absent, copies are kept as the first was. */
  readonly recent?: RecentBatches | undefined;
  /** Says which spans of a message were left out. */
  readonly log?: Pick<Logger, "warn"> | undefined;
}

/** The way of one sender's format into the pipeline; counts what it takes. */
export class SpanIntake {
  readonly #journal: Pick<SpanJournal, "append">;
  readonly #metrics: CollectorMetrics;
  readonly #steps: readonly RowStep[];
  readonly #recent: RecentBatches | undefined;
  readonly #source: SpanSource;
  readonly #log: Pick<Logger, "warn"> | undefined;

  constructor({ journal, metrics, steps = [], recent, log }: Pipeline, source: SpanSource) {
    this.#journal = journal;
    this.#metrics = metrics;
    this.#steps = steps;
    this.#recent = recent;
    this.#source = source;
    this.#log = log;
  }

  /**
   * Keeps one request's rows; resolves when they may be acknowledged. The rows' bytes are copied before the call returns. A copy of a
   * batch that came a short while ago is acknowledged as soon as the first is kept, and not kept again.
   * @throws CollectorError the sender is to come again, nothing is kept
   */
  async keep({ rows, rejectedSpans, errorMessage }: TranscodeResult, requestBytes: number): Promise<void> {
    const { transport, format } = this.#source;
    const totals = this.#metrics.totalsOf(this.#source);
    totals.addBytes(requestBytes);
    this.#metrics.batchReceived(rows.count + rejectedSpans);
    if (rejectedSpans > 0) {
      this.#metrics.spansRejected.inc(this.#source, rejectedSpans);
      // Most formats cannot tell the sender.
      this.#log?.warn({ transport, format, reason: errorMessage }, "spans of a message were rejected");
    }
    try {
      if (this.#recent === undefined || rows.count === 0) {
        await this.#append(rows);
      } else {
        const { isRepeated, kept } = this.#recent.keepOnce(rows, () => this.#append(rows));
        await kept;
        if (isRepeated) this.#metrics.spansRepeated.inc(this.#source, rows.count);
      }
    } catch (error) {
      const reason = error instanceof CollectorError ? error.code : "unexpected";
      this.#metrics.spansRefused.inc({ transport, format, reason }, rows.count);
      this.#metrics.requests.inc({ transport, format, result: "refused" });
      throw error;
    }
    totals.addRequest();
  }

  async #append(rows: SpanRows): Promise<void> {
    let stepped = rows;
    if (rows.count > 0) for (const step of this.#steps) stepped = step.apply(stepped, this.#source);
    const { length } = stepped.bytes;
    await this.#journal.append(stepped);
    this.#metrics.spansKept(length);
  }

  /** Counts a request that was refused before it was read. */
  refused(): void {
    this.#metrics.requests.inc({ ...this.#source, result: "refused" });
  }

  /** Counts a request that could not be read. */
  invalid(): void {
    this.#metrics.requests.inc({ ...this.#source, result: "invalid" });
  }
}
