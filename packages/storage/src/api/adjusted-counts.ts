/** A count of sampled spans, each counted as the number of spans that it stands for. */
export interface AdjustedCounts {
  /** The sum of the numbers that the spans stand for; a span without such a number counts once. */
  readonly adjusted: number;
  /**
   * The true number is at most this much away in 19 of 20 cases. That holds when traces were kept independently of
   * each other and each has one of the spans. It says nothing about spans that do not tell what they stand for.
   */
  readonly margin: number;
  /** Spans without a number that they stand for. */
  readonly unknown: number;
  /** The smallest number that a span stands for; 0 when no span has one. */
  readonly least: number;
  /** The greatest; it differs from `least` when spans were sampled with several probabilities. */
  readonly greatest: number;
}

/** As `AdjustedCounts`, with the variance in place of the margin. */
export interface StoredSum extends Omit<AdjustedCounts, "margin"> {
  /** Sum of `each * (each - 1)` of all spans that tell what they stand for. */
  readonly variance: number;
}

/** Standard deviations of an interval that has the true value in 19 of 20 cases. */
const deviations = 1.96;

/** Sums `AdjustedCounts`. */
export class AdjustedSum {
  #adjusted = 0;
  #unknown = 0;
  #variance = 0;
  #least = Number.POSITIVE_INFINITY;
  #greatest = 0;

  /**
   * @param spans their number; below 0 to take spans back
   * @param each the number that each of them stands for; 0: unknown
   */
  add(spans: number, each: number): void {
    if (each === 0) {
      this.#adjusted += spans;
      this.#unknown += spans;
      return;
    }
    this.#adjusted += spans * each;
    // The estimated variance of a sum of spans that were each kept with a probability of 1/each.
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

  /** Adds another sum. */
  addSum(other: AdjustedSum): void {
    this.addAll({ ...other.counts, variance: other.#variance });
  }

  /** The sum with what is known about it. */
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

/** The number that a span counts as: 1 when nothing says what it stands for. @param each as in `AdjustedSum` */
export function countOf(each: number): number {
  return each === 0 ? 1 : each;
}
