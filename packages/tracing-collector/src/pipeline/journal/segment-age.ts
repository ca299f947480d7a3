import type { SegmentLimits } from "./span-journal.ts";

/** Decides when an open segment is old enough to be sealed. When rows arrive fast, it may become older. */
export class SegmentAge {
  readonly #limits: SegmentLimits;
  readonly #busyAgeMs: number;
  readonly #becameOld: () => void;
  #timer: NodeJS.Timeout | undefined;
  #isOldEnough = false;

  constructor(limits: SegmentLimits, becameOld: () => void) {
    const { segmentAgeMs, busySegmentAgeMs = 2 * segmentAgeMs } = limits;
    this.#limits = limits;
    this.#busyAgeMs = busySegmentAgeMs;
    this.#becameOld = becameOld;
  }

  /** True when the segment of the last `begin` is old enough. */
  get isOldEnough(): boolean {
    return this.#isOldEnough;
  }

  /** @param segment the new segment; its number of rows is read later */
  begin(segment: { readonly rows: number }): void {
    this.#isOldEnough = false;
    this.#wait(segment, 0, 0);
  }

  /** Must be called when the segment was sealed. */
  end(): void {
    clearTimeout(this.#timer);
  }

  /**
   * Waits `segmentAgeMs`, or less when the maximum age is reached first.
   * @param ageMs present age of the segment
   * @param rowsBefore number of rows at the start of this wait
   */
  #wait(segment: { readonly rows: number }, ageMs: number, rowsBefore: number): void {
    const { segmentAgeMs, busySegmentRows } = this.#limits;
    const termMs = ageMs === 0 ? segmentAgeMs : Math.min(segmentAgeMs, this.#busyAgeMs - ageMs);
    this.#timer = setTimeout(() => {
      const { rows } = segment;
      if (ageMs + termMs < this.#busyAgeMs && rows - rowsBefore >= busySegmentRows) {
        this.#wait(segment, ageMs + termMs, rows);
        return;
      }
      this.#isOldEnough = true;
      this.#becameOld();
    }, termMs);
  }
}
