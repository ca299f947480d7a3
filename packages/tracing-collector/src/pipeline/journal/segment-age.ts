import type { SegmentLimits } from "./span-journal.ts";

/** Tells when an open segment is old enough to be sealed: twice as late where rows come fast. */
export class SegmentAge {
  readonly #limits: SegmentLimits;
  readonly #becameOld: () => void;
  #timer: NodeJS.Timeout | undefined;
  #isOldEnough = false;

  constructor(limits: SegmentLimits, becameOld: () => void) {
    this.#limits = limits;
    this.#becameOld = becameOld;
  }

  /** Of the segment of the last `begin`. */
  get isOldEnough(): boolean {
    return this.#isOldEnough;
  }

  /** @param segment the new one, whose rows are counted when its time comes */
  begin(segment: { readonly rows: number }): void {
    this.#isOldEnough = false;
    this.#wait(segment, true);
  }

  /** The segment is sealed. */
  end(): void {
    clearTimeout(this.#timer);
  }

  #wait(segment: { readonly rows: number }, mayGrowOn: boolean): void {
    const { segmentAgeMs, busySegmentRows } = this.#limits;
    this.#timer = setTimeout(() => {
      if (mayGrowOn && segment.rows >= busySegmentRows) {
        this.#wait(segment, false);
        return;
      }
      this.#isOldEnough = true;
      this.#becameOld();
    }, segmentAgeMs);
  }
}
