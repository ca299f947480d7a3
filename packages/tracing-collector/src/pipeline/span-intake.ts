import type { SpanRows } from "wire/rows";
import { CollectorError } from "../errors.ts";
import type { CollectorMetrics, SpanSource } from "../metrics.ts";
import type { SpanJournal } from "./journal/span-journal.ts";
import type { RowStep } from "./row-step.ts";

/** What is behind every way in. */
export interface Pipeline {
  readonly journal: Pick<SpanJournal, "append">;
  readonly metrics: CollectorMetrics;
  /** What happens to the rows before the journal; none by default, and the rows pass untouched. */
  readonly steps?: readonly RowStep[] | undefined;
}

/** The way of one sender's format into the pipeline; counts what it takes. */
export class SpanIntake {
  readonly #journal: Pick<SpanJournal, "append">;
  readonly #metrics: CollectorMetrics;
  readonly #steps: readonly RowStep[];
  readonly #source: SpanSource;

  constructor({ journal, metrics, steps = [] }: Pipeline, source: SpanSource) {
    this.#journal = journal;
    this.#metrics = metrics;
    this.#steps = steps;
    this.#source = source;
  }

  /**
   * Keeps one request's rows; resolves when they may be acknowledged. `rows.bytes` is copied before the call returns.
   * @param rejectedSpans spans of the request that were left out
   * @throws CollectorError the sender is to come again, nothing is kept
   */
  async keep(rows: SpanRows, rejectedSpans: number, requestBytes: number): Promise<void> {
    const { transport, format } = this.#source;
    const totals = this.#metrics.totalsOf(this.#source);
    totals.addBytes(requestBytes);
    this.#metrics.batchReceived(rows.count + rejectedSpans);
    if (rejectedSpans > 0) this.#metrics.spansRejected.inc(this.#source, rejectedSpans);
    try {
      let stepped = rows;
      if (rows.count > 0) for (const step of this.#steps) stepped = step.apply(stepped, this.#source);
      const { length } = stepped.bytes;
      await this.#journal.append(stepped);
      this.#metrics.spansKept(length);
    } catch (error) {
      const reason = error instanceof CollectorError ? error.code : "unexpected";
      this.#metrics.spansRefused.inc({ transport, format, reason }, rows.count);
      this.#metrics.requests.inc({ transport, format, result: "refused" });
      throw error;
    }
    totals.addRequest();
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
