import type { SegmentLimits } from "./span-journal.ts";

/** Decides when an open segment is old enough to be sealed: later when rows arrive fast. */
export class SegmentAge {
  readonly #limits: SegmentLimits;
  readonly #mostTerms: number;
  readonly #becameOld: () => void;
  #timer: NodeJS.Timeout | undefined;
  #isOldEnough = false;

  constructor(limits: SegmentLimits, becameOld: () => void) {
    const { segmentAgeMs, busySegmentAgeMs = 2 * segmentAgeMs } = limits;
    this.#limits = limits;
    this.#mostTerms = segmentAgeMs > 0 ? Math.max(1, Math.floor(busySegmentAgeMs / segmentAgeMs)) : 1;
    this.#becameOld = becameOld;
  }

  /** Concerns the segment of the last `begin`. */
  get isOldEnough(): boolean {
    return this.#isOldEnough;
  }

  /** @param segment the new segment; its rows are counted when its time has passed */
  begin(segment: { readonly rows: number }): void {
    this.#isOldEnough = false;
    this.#wait(segment, 1, 0);
  }

  /** The segment was sealed. */
  end(): void {
    clearTimeout(this.#timer);
  }

  /** @param rowsBefore rows that the segment had at the beginning of this term */
  #wait(segment: { readonly rows: number }, term: number, rowsBefore: number): void {
    const { segmentAgeMs, busySegmentRows } = this.#limits;
    this.#timer = setTimeout(() => {
      const { rows } = segment;
      if (term < this.#mostTerms && rows - rowsBefore >= busySegmentRows) {
        this.#wait(segment, term + 1, rows);
        return;
      }
      this.#isOldEnough = true;
      this.#becameOld();
    }, segmentAgeMs);
  }
}
