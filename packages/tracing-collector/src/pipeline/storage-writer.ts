import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "lifecycle";
import type { TraceStore } from "storage/api";
import { StorageError } from "storage/errors";
import type { CollectorMetrics } from "../counts/metrics.ts";
import { CollectorError } from "../errors.ts";
import type { JournalSegment, SpanJournal } from "./journal/span-journal.ts";
import { HeldBlock, type SegmentBlock, SourceBlock } from "./segment-block.ts";

export interface StorageWriterSettings {
  /** Returns segments, the oldest first. */
  readonly journal: SpanJournal;
  readonly store: Pick<TraceStore, "ready" | "writer">;
  /** Counts spans that were stored or given up. */
  readonly metrics: CollectorMetrics;
  /** Logs failures; a repeated failure is logged once. */
  readonly log: Logger;
  /** Number of inserts that run at once. Default: 1. */
  readonly workers?: number;
  /** First pause after a failure in milliseconds. It doubles with each failure, up to `maxPauseMs`. Default: 100. */
  readonly minPauseMs?: number;
  /** Longest pause between two attempts, in milliseconds. Default: 2,000. */
  readonly maxPauseMs?: number;
}

/**
 * Takes sealed segments from the journal and inserts each as one block, with retries until the store has it. By default
 * one worker inserts one segment at a time. The next segment grows meanwhile, and few large blocks cost the store about
 * a quarter less than many. Rows are read in pieces if journal and store support it. A segment that the store refuses
 * goes to quarantine with an error in the log; other segments continue. While the store is down, segments wait. The
 * outage is logged once, and so is each different error from the store itself.
 */
export class StorageWriter {
  readonly #settings: StorageWriterSettings;
  readonly #stop = new AbortController();
  /** True from the first failed attempt until the next success. */
  #isAway = false;
  /** Errors from the store itself that were logged during the present outage. */
  readonly #toldAnswers = new Set<string>();
  /** True from `drain` on: the first failure then ends the work, because the process stops soon. */
  #isDraining = false;
  /** False before the first `ready`: a refusal then concerns credentials or schema, not rows. */
  #hasBeenReady = false;
  /** Promise of all workers; already resolved before `start`. */
  #running: Promise<unknown> = Promise.resolve();

  constructor(settings: StorageWriterSettings) {
    this.#settings = settings;
  }

  start(): void {
    this.#running = this.#run();
  }

  /**
   * Resolves when the store has all segments of a finished journal, when `signal` is aborted, or at once when
   * the store is down. The remaining segments stay in the journal.
   */
  async drain(signal: AbortSignal): Promise<void> {
    this.#isDraining = true;
    const stop = () => this.#stop.abort();
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted || this.#isAway) {
      stop();
    }
    await this.#running;
  }

  /** Waits for the store first: its schema may not exist yet, and no segment is taken before. */
  async #run(): Promise<void> {
    await this.#persist("storage is not ready", (signal) => this.#settings.store.ready(signal));
    const { workers = 1 } = this.#settings;
    await Promise.all(Array.from({ length: workers }, () => this.#work()));
  }

  /** A worker: takes one segment after the other until the journal is finished and empty, or the writer is stopped. */
  async #work(): Promise<void> {
    const canStream = this.#settings.store.writer.writeSpanSource !== undefined;
    let buffer = Buffer.alloc(0);
    while (!this.#stop.signal.aborted) {
      const taken = await this.#settings.journal.take();
      if (taken === undefined) {
        return;
      }
      // For a damaged segment, its undamaged part is inserted next, once.
      for (let segment: JournalSegment | undefined = taken; segment !== undefined; ) {
        const mayBeSalvaged: boolean = segment === taken;
        if (canStream && segment.source !== undefined) {
          const block = new SourceBlock(segment, segment.source);
          segment = (await this.#deliver(segment, block, mayBeSalvaged)).rest;
          continue;
        }
        if (buffer.length < segment.bytes) {
          buffer = Buffer.allocUnsafeSlow(segment.bytes);
        }
        const delivery = await this.#deliver(segment, new HeldBlock(segment, buffer), mayBeSalvaged);
        // A failed insert may still read its buffer.
        if (delivery.failed) {
          buffer = Buffer.alloc(0);
        }
        segment = delivery.rest;
      }
    }
  }

  /**
   * @returns `failed`: true when an attempt failed; `rest`: the undamaged part of the segment, to insert in its place
   */
  async #deliver(
    segment: JournalSegment,
    block: SegmentBlock,
    mayBeSalvaged: boolean,
  ): Promise<{ readonly failed: boolean; readonly rest?: JournalSegment | undefined }> {
    let attempts = 0;
    const { journal, store, metrics } = this.#settings;
    try {
      const done = await this.#persist("storage is away: spans wait in the journal", async (signal) => {
        if (++attempts === 1) {
          metrics.inQueueSeconds.observe((Date.now() - segment.createdUnixMs) / 1_000);
        }
        const endTimer = metrics.saveSeconds.startTimer();
        await block.write(store.writer, {
          deduplicationToken: segment.token,
          receivedUnixMs: segment.createdUnixMs,
          signal,
        });
        endTimer();
      });
      if (!done) {
        return { failed: true };
      }
    } catch (error) {
      if (mayBeSalvaged && codeOf(error) === "COLLECTOR_JOURNAL_DAMAGED" && journal.salvage !== undefined) {
        try {
          return { failed: true, rest: await journal.salvage(segment) };
        } catch (failure) {
          this.#settings.log.error(
            { err: failure, segment: segment.path },
            "a damaged segment cannot be mended",
          );
        }
      }
      // Unreadable rows cannot be counted.
      await block.count(metrics.savedCounts, "err").catch(() => {});
      await this.#setAside(segment, error);
      return { failed: true };
    }
    metrics.spansSaved.inc(block.rows);
    await block.count(metrics.savedCounts, "ok").catch(() => {});
    await journal.remove(segment).catch((error: unknown) => {
      this.#settings.log.error(
        { err: error, segment: segment.path },
        "a segment that storage has cannot be removed",
      );
    });
    return { failed: attempts > 1 };
  }

  /**
   * Repeats `work` until it succeeds.
   * @returns false when it was stopped before
   * @throws errors of an insert that a retry cannot fix
   */
  async #persist(whenAway: string, work: (signal: AbortSignal) => Promise<void>): Promise<boolean> {
    const { signal } = this.#stop;
    const { minPauseMs = 100, maxPauseMs = 2_000 } = this.#settings;
    for (let pauseMs = minPauseMs; !signal.aborted; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
      try {
        await work(signal);
        this.#isBack();
        return true;
      } catch (error) {
        if (signal.aborted) {
          return false;
        }
        this.#settings.metrics.storageErrors.inc({ code: codeOf(error) });
        if (isHopeless(error) && this.#hasBeenReady) {
          throw error;
        }
        this.#goesAway(whenAway, error);
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
    return false;
  }

  #isBack(): void {
    this.#settings.metrics.storageUp.set(1);
    if (this.#isAway) {
      this.#isAway = false;
      this.#toldAnswers.clear();
      this.#settings.log.info({ journalBytes: this.#settings.journal.bytes }, "storage is back");
    }
    this.#hasBeenReady = true;
  }

  /** Records a failure. The first failure is logged, and each new error number from the store itself. */
  #goesAway(message: string, error: unknown): void {
    this.#settings.metrics.storageUp.set(0);
    if (this.#isDraining) {
      this.#stop.abort();
    }
    const answer = answerOf(error);
    if (this.#isAway && (answer === "" || this.#toldAnswers.has(answer))) {
      return;
    }
    this.#isAway = true;
    this.#toldAnswers.add(answer);
    const reason = error instanceof Error ? error.message : String(error);
    this.#settings.log.warn({ code: codeOf(error), reason }, message);
  }

  /**
   * Moves a refused or unreadable segment into quarantine. A segment that cannot be moved stays, and the next start
   * tries it again.
   */
  async #setAside(segment: JournalSegment, error: unknown): Promise<void> {
    const { journal, metrics, log } = this.#settings;
    metrics.quarantinedSpans.inc(segment.rows);
    try {
      const path = await journal.quarantine(segment);
      if (path === undefined) {
        log.error(
          { err: error, spans: segment.rows },
          "storage refuses a segment, and a journal in memory has no place to set it aside: its spans are lost",
        );
        return;
      }
      log.error(
        { err: error, segment: path, spans: segment.rows },
        "a segment is set aside: it is tried again at the next start of the collector",
      );
    } catch (failure) {
      log.error(
        { err: failure, segment: segment.path, spans: segment.rows, reason: String(error) },
        "a segment cannot be set aside: it stays in the journal for the next start",
      );
    }
  }
}

/** Number of the error that the store itself answered with, such as a refused password after an outage. */
function answerOf(error: unknown): string {
  const { code } = (error instanceof StorageError ? (error.cause ?? {}) : {}) as { readonly code?: unknown };
  return /^\d+$/.test(String(code)) ? String(code) : "";
}

function codeOf(error: unknown): string {
  return error instanceof StorageError || error instanceof CollectorError ? error.code : "unexpected";
}

/** True when another attempt with the same bytes would fail in the same way. */
function isHopeless(error: unknown): boolean {
  return codeOf(error) === "STORAGE_REFUSED" || codeOf(error) === "COLLECTOR_JOURNAL_DAMAGED";
}
