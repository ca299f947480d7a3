/**
 * Why the collector does not take spans. Each but `COLLECTOR_TOO_LARGE` is for the sender to try again later; receivers
 * map them to their protocol's words in `receivers/refusal.ts`.
 *
 * - `COLLECTOR_JOURNAL_FULL` the journal holds `--collector.journal.max-bytes` or `--collector.queue-size` spans, because storage lags
 *   or is away
 * - `COLLECTOR_TOO_LARGE` the request would not fit an empty journal: smaller ones may
 * - `COLLECTOR_JOURNAL_BUSY` more waits for the disk than fits in memory
 * - `COLLECTOR_JOURNAL_DISK` the disk refuses: full, broken, taken away
 * - `COLLECTOR_JOURNAL_DAMAGED` a segment cannot be read back (never an answer to a sender)
 * - `COLLECTOR_BODIES_BUSY` request bodies under way fill their share of memory
 * - `COLLECTOR_STOPPING` the process stops
 */
export type CollectorErrorCode =
  | "COLLECTOR_JOURNAL_FULL"
  | "COLLECTOR_TOO_LARGE"
  | "COLLECTOR_JOURNAL_BUSY"
  | "COLLECTOR_JOURNAL_DISK"
  | "COLLECTOR_JOURNAL_DAMAGED"
  | "COLLECTOR_BODIES_BUSY"
  | "COLLECTOR_STOPPING";

/** The one error of this package; `cause` is what the system threw. */
export class CollectorError extends Error {
  override readonly name = "CollectorError";
  readonly code: CollectorErrorCode;

  constructor(code: CollectorErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
