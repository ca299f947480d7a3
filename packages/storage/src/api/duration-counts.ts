import { nanoOfPosition } from "./duration-buckets.ts";

const buckets = 505;

/** Counts of calls by bucket of duration. Calls can be added and removed, and quantiles can be read in between. */
export class DurationCounts {
  readonly #counts = new Float64Array(buckets);
  #total = 0;
  /** Lowest bucket that ever had calls; all buckets below `#lowest` and above `#highest` contain 0. */
  #lowest = buckets;
  #highest = -1;

  /**
   * @param bucket see `durationBucket`
   * @param calls number of calls; negative to remove calls
   */
  add(bucket: number, calls: number): void {
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + calls;
    this.#total += calls;
    if (bucket < this.#lowest) {
      this.#lowest = bucket;
    }
    if (bucket > this.#highest) {
      this.#highest = bucket;
    }
  }

  /** Quantile of the present counts, as the function `quantileNano` computes it. */
  quantileNano(quantile: number): number {
    const rank = quantile * this.#total;
    let below = 0;
    let last = 0;
    for (let bucket = this.#lowest; bucket <= this.#highest; bucket++) {
      const count = this.#counts[bucket] as number;
      if (count <= 0) {
        continue;
      }
      const isHighest = below + count >= this.#total;
      if (below + count >= rank) {
        return nanoOfPosition(isHighest ? bucket : bucket + (rank - below) / count);
      }
      below += count;
      last = bucket + 1;
    }
    return this.#total === 0 ? 0 : nanoOfPosition(last);
  }
}
