/** Number of all spans and of bad spans in a time range. */
export interface SpanSum {
  /** Number of all counted spans. */
  readonly total: number;
  /** Number of counted spans that are not good. */
  readonly bad: number;
}

/** Sums of the newest time slots. A slot is a number of minutes, or of hours, since the Unix epoch. */
export class CountRing {
  readonly #length: number;
  readonly #totals: Float64Array;
  readonly #bads: Float64Array;
  #newest = -1;

  /** @param length number of slots that are kept */
  constructor(length: number) {
    this.#length = length;
    this.#totals = new Float64Array(length);
    this.#bads = new Float64Array(length);
  }

  /** Replaces the sums of a slot. A slot too old for the ring is ignored. */
  put(slot: number, { total, bad }: SpanSum): void {
    if (slot <= this.#newest - this.#length) {
      return;
    }
    if (slot > this.#newest) {
      this.#forget(slot);
      this.#newest = slot;
    }
    this.#totals[slot % this.#length] = total;
    this.#bads[slot % this.#length] = bad;
  }

  /** Sets the slots up to `slot` to zero before newer sums use their places. */
  #forget(slot: number): void {
    const first = Math.max(this.#newest + 1, slot - this.#length + 1);
    for (let index = first; index <= slot; index++) {
      this.#totals[index % this.#length] = 0;
      this.#bads[index % this.#length] = 0;
    }
  }

  /** Sum of the slots from `first` up to, but without, `end`. Slots that are no longer kept count as zero. */
  sum(first: number, end: number): SpanSum {
    let total = 0;
    let bad = 0;
    const last = Math.min(end - 1, this.#newest);
    for (let slot = Math.max(first, this.#newest - this.#length + 1, 0); slot <= last; slot++) {
      total += this.#totals[slot % this.#length] ?? 0;
      bad += this.#bads[slot % this.#length] ?? 0;
    }
    return { total, bad };
  }
}
