import type { Logger } from "lifecycle";
import type { SpanRows } from "wire/rows/span-rows";
import { CollectorError } from "../../errors.ts";
import type { JournalLimits } from "./span-journal.ts";

/**
 * Share of the limits that must be free before a full journal accepts batches again. Without this margin, each request
 * would change the state.
 */
const freePart = 0.1;

/** Enforces the limits of a journal. Logs once when it is full, and once when it has space again. */
export class JournalRoom {
  readonly #maxBytes: number;
  readonly #maxRows: number;
  readonly #log: Logger;
  #rows: number;
  #isFull = false;
  #refusedSpans = 0;

  /** @param rows number of rows at the start */
  constructor({ maxBytes, maxRows = 0 }: JournalLimits, rows: number, log: Logger) {
    this.#maxBytes = maxBytes;
    this.#maxRows = maxRows === 0 ? Number.POSITIVE_INFINITY : maxRows;
    this.#rows = rows;
    this.#log = log;
  }

  /** Rows in the journal; each row is one span. */
  get rows(): number {
    return this.#rows;
  }

  /**
   * Checks that a batch fits. Each refused batch is counted, and the first one is logged.
   * @param usedBytes present size of the journal
   * @throws CollectorError COLLECTOR_TOO_LARGE when the batch would not fit an empty journal; COLLECTOR_JOURNAL_FULL
   */
  admit(rows: SpanRows, usedBytes: number): void {
    const { bytes, count } = rows;
    if (bytes.length > this.#maxBytes) {
      throw tooLarge(
        `${bytes.length} bytes of rows`,
        `of ${this.#maxBytes} bytes (--collector.journal.max-bytes)`,
      );
    }
    if (count > this.#maxRows) {
      throw tooLarge(`${count} spans`, `of ${this.#maxRows} spans (--collector.queue-size)`);
    }
    if (usedBytes + bytes.length > this.#maxBytes) {
      this.#refuse(
        count,
        `journal of ${usedBytes} bytes has no room for ${bytes.length} more: the limit is ${this.#maxBytes}`,
      );
    }
    if (this.#rows + count > this.#maxRows) {
      this.#refuse(
        count,
        `journal of ${this.#rows} spans has no room for ${count} more: the limit is ${this.#maxRows}`,
      );
    }
  }

  /** Must be called for each admitted batch. */
  add(rows: number): void {
    this.#rows += rows;
  }

  /** Must be called when rows left the journal. @param usedBytes present size of the journal */
  leave(rows: number, usedBytes: number): void {
    this.#rows -= rows;
    if (!this.#isFull) {
      return;
    }
    const isRoomy = (used: number, max: number) => used <= max * (1 - freePart);
    if (!isRoomy(usedBytes, this.#maxBytes) || !isRoomy(this.#rows, this.#maxRows)) {
      return;
    }
    this.#isFull = false;
    this.#log.info(
      { journalBytes: usedBytes, spans: this.#rows, refusedSpans: this.#refusedSpans },
      "the journal has room again",
    );
    this.#refusedSpans = 0;
  }

  #refuse(spans: number, message: string): never {
    this.#refusedSpans += spans;
    if (!this.#isFull) {
      this.#isFull = true;
      this.#log.warn({ reason: message }, "the journal is full: senders are asked to come again");
    }
    throw new CollectorError("COLLECTOR_JOURNAL_FULL", message);
  }
}

function tooLarge(what: string, journal: string): CollectorError {
  return new CollectorError("COLLECTOR_TOO_LARGE", `${what} never fit a journal ${journal}`);
}
