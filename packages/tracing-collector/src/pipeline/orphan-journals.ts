import type { Logger } from "lifecycle";
import { StorageError } from "storage/errors";
import type { ClaimedJournal } from "./journal/shared-journals.ts";
import type { StorageWriter } from "./storage-writer.ts";

/** Time between checks for journals of ended collectors, in milliseconds. */
const lookEveryMs = 10_000;
/** Time until the next check in milliseconds, when the store did not accept all spans of the last one. */
const retryMs = 1_000;

export interface OrphanSettings {
  /** Opens the journals that have spans and no collector, after `ready`. */
  readonly open: (ready: () => Promise<void>) => Promise<readonly ClaimedJournal[]>;
  /** Resolves when the store accepts spans. */
  readonly ready: (signal: AbortSignal) => Promise<void>;
  /** Makes the writer that inserts a journal's segments into the store. */
  readonly writerOf: (journal: ClaimedJournal["journal"]) => Pick<StorageWriter, "start" | "drain">;
  /** Log for journals that were taken over. */
  readonly log: Logger;
  /** Time between checks for journals of ended processes, in milliseconds. Default: 10,000. */
  readonly lookEveryMs?: number;
  /** Time until the next check in milliseconds, when the store did not accept all spans. Default: 1,000. */
  readonly retryMs?: number;
}

/**
 * Result of a check. `done`: no spans of ended collectors are left. `away`: the store did not answer, so no journal was
 * opened. `left`: the store did not accept all spans of the opened journals.
 */
type LookOutcome = "done" | "away" | "left";

/**
 * Saves the spans that crashed collectors left in a shared folder. It checks for such journals at intervals, inserts
 * their segments, and closes them. While the store is down, no journal is opened, and the store is checked again every
 * second. Segments that cannot be inserted wait for the next check by any collector.
 */
export class OrphanJournals {
  readonly #settings: OrphanSettings;
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #lastFailure = "";
  #isStopping = false;
  /** Pause after the last check in milliseconds, when it left spans in journals; otherwise 0. */
  #leftMs = 0;

  constructor(settings: OrphanSettings) {
    this.#settings = settings;
  }

  start(): void {
    const look = () => {
      this.#looking = this.#look().then((outcome) => {
        if (!this.#isStopping) {
          this.#timer = setTimeout(look, this.#pauseAfter(outcome)).unref();
        }
      });
    };
    look();
  }

  /** Stops the checks. A running insert may finish until `signal` is aborted. */
  async stop(signal: AbortSignal): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#timer);
    const stop = () => this.#stop.abort();
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) {
      stop();
    }
    await this.#looking;
    stop();
    clearTimeout(this.#timer);
  }

  /** Each check that leaves spans doubles the pause, because the next check reads the journal again. */
  #pauseAfter(outcome: LookOutcome): number {
    const { lookEveryMs: longest, retryMs: shortest } = { lookEveryMs, retryMs, ...this.#settings };
    this.#leftMs = outcome === "left" ? Math.min(Math.max(2 * this.#leftMs, shortest), longest) : 0;
    return { done: longest, away: shortest, left: this.#leftMs }[outcome];
  }

  async #look(): Promise<LookOutcome> {
    const { open, ready } = this.#settings;
    try {
      const orphans = await open(() => ready(this.#stop.signal));
      this.#lastFailure = "";
      const saved = await Promise.all(orphans.map((orphan) => this.#save(orphan)));
      return saved.every((isSaved) => isSaved) ? "done" : "left";
    } catch (error) {
      // The collector's own writer already logs that the store is down.
      if (error instanceof StorageError) {
        return "away";
      }
      const reason = error instanceof Error ? error.message : String(error);
      if (reason !== this.#lastFailure) {
        this.#settings.log.error({ err: error }, "journals of other collectors cannot be looked at");
      }
      this.#lastFailure = reason;
      return "done";
    }
  }

  /** @returns true when the store has all spans of the journal */
  async #save({ folder, journal }: ClaimedJournal): Promise<boolean> {
    const { log, writerOf } = this.#settings;
    try {
      const { segments, rows: spans } = journal;
      log.info({ folder, segments, spans }, "saving spans that a collector which is gone has left");
      await journal.finish();
      const writer = writerOf(journal);
      writer.start();
      await writer.drain(this.#stop.signal);
      if (journal.segments === 0) {
        log.info({ folder, spans }, "spans of a collector which is gone are saved");
      } else {
        log.info(
          { folder, segments: journal.segments },
          "spans of a collector which is gone wait for the next look",
        );
      }
      return journal.segments === 0;
    } finally {
      await journal.close();
    }
  }
}
