import type { Logger } from "lifecycle";
import type { ClaimedJournal } from "./journal/shared-journals.ts";
import type { StorageWriter } from "./storage-writer.ts";

/** Interval between looks for journals of collectors that are gone, in milliseconds. */
const lookEveryMs = 10_000;

export interface OrphanSettings {
  /** Opens the journals that hold spans and that no collector has. */
  readonly open: () => Promise<readonly ClaimedJournal[]>;
  /** Makes the writer that inserts a journal's segments into the store. */
  readonly writerOf: (journal: ClaimedJournal["journal"]) => Pick<StorageWriter, "start" | "drain">;
  /** Tells which journals were taken over. */
  readonly log: Logger;
  /** Milliseconds between looks for journals of ended processes. */
  readonly lookEveryMs?: number;
}

/**
 * Saves the spans that crashed collectors left in a shared folder. It looks for such journals at intervals,
 * inserts their segments, and closes them. Segments that cannot be inserted wait for the next look of any
 * collector.
 */
export class OrphanJournals {
  readonly #settings: OrphanSettings;
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #lastFailure = "";

  constructor(settings: OrphanSettings) {
    this.#settings = settings;
  }

  start(): void {
    const look = () => {
      this.#looking = this.#look().finally(() => {
        if (this.#stop.signal.aborted) {
          return;
        }
        this.#timer = setTimeout(look, this.#settings.lookEveryMs ?? lookEveryMs).unref();
      });
    };
    look();
  }

  /** Stops looking. A running insert ends, or is aborted with `signal`. */
  async stop(signal: AbortSignal): Promise<void> {
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

  async #look(): Promise<void> {
    try {
      const orphans = await this.#settings.open();
      this.#lastFailure = "";
      await Promise.all(orphans.map((orphan) => this.#save(orphan)));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (reason !== this.#lastFailure) {
        this.#settings.log.error({ err: error }, "journals of other collectors cannot be looked at");
      }
      this.#lastFailure = reason;
    }
  }

  async #save({ folder, journal }: ClaimedJournal): Promise<void> {
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
    } finally {
      await journal.close();
    }
  }
}
