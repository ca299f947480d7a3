import type { Logger } from "lifecycle";
import type { TranscodeResult } from "wire/rows/message-transcoder";
import type { SpanRows } from "wire/rows/span-rows";
import type { CollectorMetrics, SpanSource } from "../counts/metrics.ts";
import { CollectorError } from "../errors.ts";
import type { SpanJournal } from "./journal/span-journal.ts";
import type { Quotas } from "./quotas/quotas.ts";
import type { RecentBatches } from "./recent-batches.ts";
import type { RowStep } from "./row-step.ts";

/** The parts of the pipeline that all receivers use. */
export interface Pipeline {
  /** Stores spans before they are acknowledged. */
  readonly journal: Pick<SpanJournal, "append">;
  /** Counts accepted and refused spans. */
  readonly metrics: CollectorMetrics;
  /** Steps between receivers and the journal; by default none, and rows pass unchanged. */
  readonly steps?: readonly RowStep[] | undefined;
  /** Remembers recent batches. Absent: copies are stored again. */
  readonly recent?: RecentBatches | undefined;
  /** Limits what a tenant may send. Absent: no limits. */
  readonly quotas?: Pick<Quotas, "take"> | undefined;
  /** Log for messages with rejected spans. */
  readonly log?: Pick<Logger, "warn"> | undefined;
  /** True, the default: the log contains the names of rejected spans. False when names may be personal data. */
  readonly showsRejected?: boolean | undefined;
}

/** Passes the requests of one receiver and format through the pipeline, and counts them. */
export class SpanIntake {
  readonly #journal: Pick<SpanJournal, "append">;
  readonly #metrics: CollectorMetrics;
  readonly #steps: readonly RowStep[];
  readonly #recent: RecentBatches | undefined;
  readonly #quotas: Pick<Quotas, "take"> | undefined;
  readonly #source: SpanSource;
  readonly #log: Pick<Logger, "warn"> | undefined;
  readonly #showsRejected: boolean;

  constructor(
    { journal, metrics, steps = [], recent, quotas, log, showsRejected = true }: Pipeline,
    source: SpanSource,
  ) {
    this.#journal = journal;
    this.#metrics = metrics;
    this.#steps = steps;
    this.#recent = recent;
    this.#quotas = quotas;
    this.#source = source;
    this.#log = log;
    this.#showsRejected = showsRejected;
  }

  /**
   * Stores one request's rows. They may be acknowledged when the promise resolves. The bytes are copied before the call
   * returns. A copy of a recent batch is not stored, does not count against the tenant's quota, and is acknowledged
   * when the first batch is stored.
   * @param requestBytes length of the decompressed message
   * @param tenant "" without tenancy
   * @throws CollectorError when the sender should try again; nothing is stored
   */
  async keep(
    { rows, rejectedSpans, errorMessage }: TranscodeResult,
    requestBytes: number,
    tenant = "",
  ): Promise<void> {
    const { transport, format } = this.#source;
    const totals = this.#metrics.totalsOf(this.#source);
    totals.addBytes(requestBytes);
    this.#metrics.batchReceived(rows.count + rejectedSpans);
    if (rejectedSpans > 0) {
      this.#metrics.spansRejected.inc(this.#source, rejectedSpans);
      // Most protocols cannot report rejected spans to the sender, so they are logged.
      const reason = this.#showsRejected ? errorMessage : `${rejectedSpans} rejected`;
      this.#log?.warn({ transport, format, reason }, "spans of a message were rejected");
    }
    try {
      if (this.#recent === undefined || rows.count === 0) {
        await this.#append(rows, requestBytes, tenant);
      } else {
        const { isRepeated, kept } = this.#recent.keepOnce(rows, () =>
          this.#append(rows, requestBytes, tenant),
        );
        await kept;
        if (isRepeated) {
          this.#metrics.spansRepeated.inc(this.#source, rows.count);
        }
      }
    } catch (error) {
      const reason = error instanceof CollectorError ? error.code : "unexpected";
      this.#metrics.spansRefused.inc({ transport, format, reason }, rows.count);
      this.#metrics.requests.inc({ transport, format, result: "refused" });
      throw error;
    }
    totals.addRequest();
  }

  async #append(rows: SpanRows, requestBytes: number, tenant: string): Promise<void> {
    if (rows.count === 0) {
      return this.#keepRows(rows);
    }
    const taken = this.#quotas?.take(tenant, rows.count, requestBytes, rows);
    try {
      let stepped = rows;
      for (const step of this.#steps) {
        stepped = step.apply(stepped, this.#source);
      }
      await this.#keepRows(stepped);
    } catch (error) {
      // The sender repeats the same spans later, which must not count twice.
      taken?.giveBack();
      throw error;
    }
  }

  async #keepRows(rows: SpanRows): Promise<void> {
    const { length } = rows.bytes;
    await this.#journal.append(rows);
    this.#metrics.spansKept(length);
  }

  /** Counts a request that was refused before it was read. */
  refused(): void {
    this.#metrics.requests.inc({ ...this.#source, result: "refused" });
  }

  /** Counts a request that could not be decoded. */
  invalid(): void {
    this.#metrics.requests.inc({ ...this.#source, result: "invalid" });
  }
}
