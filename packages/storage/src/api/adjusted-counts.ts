/**
 * Estimated number of original spans behind sampled spans. Example: a span kept with probability 1/10 counts as 10
 * spans.
 */
export interface AdjustedCounts {
  /** Estimated number of original spans. A span whose sampling probability is unknown counts as 1. */
  readonly adjusted: number;
  /**
   * Half the width of the 95 % confidence interval of `adjusted`. The interval is valid when traces were sampled
   * independently and each trace has one of the spans. Spans with an unknown probability do not widen the interval.
   */
  readonly margin: number;
  /** Number of spans whose sampling probability is unknown. */
  readonly unknown: number;
  /** Smallest number of original spans that one span represents; 0: no span has a known probability. */
  readonly least: number;
  /**
   * Largest number of original spans that one span represents. `greatest` exceeds `least` when several probabilities
   * were used.
   */
  readonly greatest: number;
}

/** `AdjustedCounts` with the variance instead of the margin, as a store returns it. Variances can be added. */
export interface StoredSum extends Omit<AdjustedCounts, "margin"> {
  /** Sum of `each * (each - 1)` over all spans with a known sampling probability. */
  readonly variance: number;
}

/** Half the width of a 95 % confidence interval, in standard deviations. */
const deviations = 1.96;

/** Adds up spans and partial sums; `counts` returns the `AdjustedCounts`. */
export class AdjustedSum {
  #adjusted = 0;
  #unknown = 0;
  #variance = 0;
  #least = Number.POSITIVE_INFINITY;
  #greatest = 0;

  /**
   * @param spans number of spans; negative to subtract spans
   * @param each number of original spans that each of these spans represents; 0: unknown
   */
  add(spans: number, each: number): void {
    if (each === 0) {
      this.#adjusted += spans;
      this.#unknown += spans;
      return;
    }
    this.#adjusted += spans * each;
    // Estimated variance of the sum if each span was kept with probability 1/each.
    this.#variance += spans * each * (each - 1);
    if (spans > 0) {
      this.#least = Math.min(this.#least, each);
      this.#greatest = Math.max(this.#greatest, each);
    }
  }

  /** Adds a sum that the store made. */
  addAll({ adjusted, variance, unknown, least, greatest }: StoredSum): void {
    this.#adjusted += adjusted;
    this.#variance += variance;
    this.#unknown += unknown;
    if (greatest > 0) {
      this.#least = Math.min(this.#least, least);
      this.#greatest = Math.max(this.#greatest, greatest);
    }
  }

  addSum(other: AdjustedSum): void {
    this.addAll({ ...other.counts, variance: other.#variance });
  }

  /** The sum so far, with its margin of error. */
  get counts(): AdjustedCounts {
    return {
      adjusted: this.#adjusted,
      margin: deviations * Math.sqrt(Math.max(0, this.#variance)),
      unknown: this.#unknown,
      least: this.#greatest === 0 ? 0 : this.#least,
      greatest: this.#greatest,
    };
  }
}

/** Weight of one span in the sum; 1 when its sampling probability is unknown. @param each as in `AdjustedSum` */
export function countOf(each: number): number {
  return each === 0 ? 1 : each;
}
