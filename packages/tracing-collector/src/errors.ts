/**
 * Reasons why the collector refuses spans. After each error except `COLLECTOR_TOO_LARGE` the sender should try again
 * later. Receivers map them to their protocol's errors in `receivers/refusal.ts`.
 *
 * - `COLLECTOR_JOURNAL_FULL` the journal holds `--collector.journal.max-bytes` or `--collector.queue-size` spans,
 *   because the store is slow or down
 * - `COLLECTOR_TOO_LARGE` the request would not fit an empty journal, but smaller requests may
 * - `COLLECTOR_JOURNAL_BUSY` the batches that wait for the disk fill their share of memory
 * - `COLLECTOR_JOURNAL_DISK` the disk refuses the write: it is full, broken or removed
 * - `COLLECTOR_JOURNAL_DAMAGED` a segment cannot be read back; senders never get this
 * - `COLLECTOR_BODIES_BUSY` the bodies of running requests fill their share of memory
 * - `COLLECTOR_BODY_LATE` the body did not arrive within `--collector.….read-timeout`
 * - `COLLECTOR_RATE_LIMITED` the tenant sends more spans a second than its quota
 * - `COLLECTOR_DAY_LIMITED` the tenant has used up its quota of bytes or series for this day
 * - `COLLECTOR_STOPPING` the process is stopping
 */
export type CollectorErrorCode =
  | "COLLECTOR_JOURNAL_FULL"
  | "COLLECTOR_TOO_LARGE"
  | "COLLECTOR_JOURNAL_BUSY"
  | "COLLECTOR_JOURNAL_DISK"
  | "COLLECTOR_JOURNAL_DAMAGED"
  | "COLLECTOR_BODIES_BUSY"
  | "COLLECTOR_BODY_LATE"
  | "COLLECTOR_RATE_LIMITED"
  | "COLLECTOR_DAY_LIMITED"
  | "COLLECTOR_STOPPING";

export interface CollectorErrorOptions extends ErrorOptions {
  /** Whole seconds after which the sender should try again. Absent: the default for `code`. */
  readonly retryAfterS?: number;
}

/** The error class of this package; `cause` is the system's error. */
export class CollectorError extends Error {
  override readonly name = "CollectorError";
  readonly code: CollectorErrorCode;
  readonly retryAfterS: number | undefined;

  constructor(code: CollectorErrorCode, message: string, options?: CollectorErrorOptions) {
    super(message, options);
    this.code = code;
    this.retryAfterS = options?.retryAfterS;
  }
}
