import type { Logger } from "lifecycle";
import { RowScanner, type SpanRows } from "wire/rows";
import type { JournalSegment, SpanJournal } from "../journal/span-journal.ts";
import { keepRows } from "../keep-rows.ts";
import { type KeptWith, ProbabilityWriter } from "../state-probability.ts";
import type { RowVerdicts, TailSampler } from "./tail-sampler.ts";

/** The clock, which tests can stop. */
export interface TailClock {
  /** Present time of a monotonic clock in milliseconds. */
  now(): number;
  /** Calls back once. @returns a function that cancels the call */
  after(delayMs: number, callback: () => void): () => void;
}

export const systemTailClock: TailClock = {
  now: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

/**
 * A journal that delays segments until their traces are decided, and reads them without the spans of dropped traces.
 * Until then, acknowledged spans stay in the journal and count against its size limit. After a restart the remaining
 * segments are observed again, and wait for another window.
 *
 * A filtered block keeps the token of its segment. Its rows are fixed at the first reading. Without a writer that takes
 * the segment, the verdicts are fixed half a window after its due time: the store may be down for longer than decisions
 * are remembered.
 */
export class TailSamplingJournal implements SpanJournal {
  readonly isDurable: boolean;
  readonly #journal: SpanJournal;
  readonly #sampler: TailSampler;
  readonly #clock: TailClock;
  readonly #log: Logger;
  readonly #waiting: TailSegment[] = [];
  readonly #takers: ((segment: JournalSegment | undefined) => void)[] = [];
  readonly #pump: Promise<void>;
  #cancelTimer: () => void = () => {};
  /** True once `finish` has been called: leftover segments are then no longer observed. */
  #isClosing = false;
  #isFinished = false;
  #judging: Promise<void> | undefined;

  /** @param journal a newly opened journal; its segments come from an earlier run */
  constructor(journal: SpanJournal, sampler: TailSampler, log: Logger, clock: TailClock = systemTailClock) {
    this.#journal = journal;
    this.isDurable = journal.isDurable;
    this.#sampler = sampler;
    this.#log = log;
    this.#clock = clock;
    this.#pump = this.#takeAll(journal.segments);
  }

  get bytes(): number {
    return this.#journal.bytes;
  }

  get rows(): number {
    return this.#journal.rows;
  }

  get segments(): number {
    return this.#journal.segments;
  }

  /** Number of segments that wait for decisions, or for a writer. */
  get waitingSegments(): number {
    return this.#waiting.length;
  }

  async append(rows: SpanRows): Promise<void> {
    // Observing comes first, even if the journal then refuses: every row in a segment must have been observed.
    if (rows.count > 0) {
      this.#sampler.observe(rows);
    }
    await this.#journal.append(rows);
  }

  /** Resolves with the next segment whose traces are all decided. */
  take(): Promise<JournalSegment | undefined> {
    return new Promise((resolve) => {
      this.#takers.push(resolve);
      this.#handOut();
    });
  }

  remove(segment: JournalSegment): Promise<void> {
    return this.#journal.remove(segment);
  }

  quarantine(segment: JournalSegment): Promise<string | undefined> {
    return this.#journal.quarantine(segment);
  }

  /**
   * With a durable journal, segments that wait for decisions stay for the next start. Otherwise everything is
   * decided now.
   */
  async finish(): Promise<void> {
    this.#isClosing = true;
    await this.#journal.finish();
    await this.#pump;
    this.#isFinished = true;
    this.#handOut();
  }

  async close(): Promise<void> {
    await this.finish();
    this.#cancelTimer();
    await this.#judging;
    await this.#journal.close();
  }

  async #takeAll(leftovers: number): Promise<void> {
    await this.#takeLeftovers(leftovers);
    for (;;) {
      const segment = await this.#journal.take();
      if (segment === undefined) {
        return;
      }
      this.#letWait([segment]);
    }
  }

  /**
   * Spans of one trace may be in any of these segments, so all are observed before one is filtered. The sampler holds
   * its decisions meanwhile, however long it takes.
   */
  async #takeLeftovers(count: number): Promise<void> {
    if (count === 0) {
      return;
    }
    this.#sampler.hold();
    const leftovers: JournalSegment[] = [];
    while (leftovers.length < count) {
      const segment = await this.#journal.take();
      if (segment === undefined) {
        break;
      }
      if (!this.#isClosing) {
        await this.#observeAgain(segment);
      }
      leftovers.push(segment);
    }
    this.#sampler.release();
    this.#letWait(leftovers);
  }

  #letWait(segments: readonly JournalSegment[]): void {
    const dueMs = this.#clock.now() + this.#sampler.decisionWaitMs;
    for (const segment of segments) {
      this.#waiting.push(new TailSegment(segment, this.#sampler, dueMs));
    }
    this.#handOut();
  }

  async #observeAgain(segment: JournalSegment): Promise<void> {
    try {
      this.#sampler.observe(await segment.read(Buffer.allocUnsafeSlow(segment.bytes)));
    } catch (error) {
      // The writer that takes this segment gets the same error, and moves the segment to quarantine.
      this.#log.error(
        { err: error, segment: segment.path },
        "a segment of an earlier run cannot be observed",
      );
    }
  }

  #handOut(): void {
    this.#cancelTimer();
    const now = this.#clock.now();
    const decidesNow = this.#isFinished && !this.isDurable;
    this.#sampler.decideUpTo(now);
    if (decidesNow) {
      this.#sampler.decideAll();
    }
    for (;;) {
      const [segment] = this.#waiting;
      const isDue = segment !== undefined && (decidesNow || segment.dueMs <= now);
      if (isDue && this.#takers.length > 0) {
        this.#waiting.shift();
        this.#takers.shift()?.(segment);
        continue;
      }
      if (this.#isFinished) {
        if (!isDue) {
          for (const taker of this.#takers.splice(0)) {
            taker(undefined);
          }
        }
      } else if (segment !== undefined) {
        this.#waitFor(segment, now, isDue);
      }
      return;
    }
  }

  #waitFor(segment: TailSegment, now: number, isDue: boolean): void {
    if (!isDue) {
      this.#cancelTimer = this.#clock.after(segment.dueMs - now, () => this.#handOut());
      return;
    }
    // If no writer takes segments, their verdicts are fixed before decisions are forgotten.
    const unjudged = this.#waiting.find((one) => !one.isJudged);
    if (unjudged === undefined || this.#judging !== undefined) {
      return;
    }
    const judgeMs = unjudged.dueMs + this.#sampler.decisionWaitMs / 2;
    if (judgeMs > now) {
      this.#cancelTimer = this.#clock.after(judgeMs - now, () => this.#handOut());
      return;
    }
    this.#judging = unjudged.judge().then(() => {
      this.#judging = undefined;
      if (!this.#isFinished) {
        this.#handOut();
      }
    });
  }
}

/** A segment that is read without the spans of dropped traces. */
class TailSegment implements JournalSegment {
  readonly path: string;
  readonly token: string;
  readonly createdUnixMs: number;
  readonly rows: number;
  readonly bytes: number;
  readonly keptBytes: number;
  /** Time at which the windows of all its traces have ended. */
  readonly dueMs: number;
  readonly #segment: JournalSegment;
  readonly #sampler: TailSampler;
  #verdicts: RowVerdicts | undefined;
  #isUnreadable = false;

  constructor(segment: JournalSegment, sampler: TailSampler, dueMs: number) {
    this.path = segment.path;
    this.token = segment.token;
    this.createdUnixMs = segment.createdUnixMs;
    this.rows = segment.rows;
    this.bytes = segment.bytes;
    this.keptBytes = segment.keptBytes;
    this.dueMs = dueMs;
    this.#segment = segment;
    this.#sampler = sampler;
  }

  /** True when its rows are fixed, or cannot be read. */
  get isJudged(): boolean {
    return this.#verdicts !== undefined || this.#isUnreadable;
  }

  async read(buffer: Buffer): Promise<SpanRows> {
    const rows = await this.#segment.read(buffer);
    this.#verdicts ??= this.#sampler.judge(rows);
    const verdicts = this.#verdicts;
    let row = 0;
    // A separate scanner, because a stored scanner would keep the buffer in memory.
    const scanner = new RowScanner();
    const keptWith: KeptWith[] = [];
    const kept = keepRows(rows, scanner, () => {
      const isKept = verdicts.isKept(row);
      if (isKept && this.#sampler.statesProbability) {
        keptWith.push(verdicts.keptWith(row));
      }
      row++;
      return isKept;
    });
    if (!this.#sampler.statesProbability || kept.count === 0) {
      return kept;
    }
    let at = 0;
    return new ProbabilityWriter().write(kept, scanner, () => keptWith[at++] ?? "undecided");
  }

  /** Fixes the verdicts in advance. An error is ignored, because the later read reports it again. */
  async judge(): Promise<void> {
    try {
      await this.read(Buffer.allocUnsafeSlow(this.bytes));
    } catch {
      this.#isUnreadable = true;
    }
  }

  remove(): Promise<void> {
    return this.#segment.remove();
  }

  quarantine(): Promise<string | undefined> {
    return this.#segment.quarantine();
  }
}
