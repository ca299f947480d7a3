import type { OperationProbability, OperationThroughput } from "storage/api";
import { OperationMap } from "./operation-map.ts";
import { probabilityText } from "./throughput-counter.ts";

export interface CalculationSettings {
  /** Target of sampled traces per second and operation; more than 0. */
  readonly targetSamplesPerSecond: number;
  /** Relative difference between rate and target up to which the probability is not changed. */
  readonly deltaTolerance: number;
  /** Probability of an operation before its first calculation. */
  readonly initialProbability: number;
  /** Lower limit of a probability, so that a busy operation keeps a few traces. */
  readonly minProbability: number;
  /** The rate of an operation is computed from this many of its newest buckets. */
  readonly bucketsForCalculation: number;
  /** Maximum number of buckets that are stored. Beyond it, the oldest bucket is dropped. */
  readonly aggregationBuckets: number;
  /** Largest growth of a probability in one step, as a ratio. Default: 1, which allows doubling. */
  readonly maxIncrease?: number;
}

interface Bucket {
  /** Seconds of the interval. */
  readonly seconds: number;
  /** Spans by service and operation. */
  readonly throughput: OperationMap<OperationThroughput>;
}

interface Verdict {
  readonly probability: number;
  /** True when the clients of the service use calculated probabilities. */
  readonly usesAdaptive: boolean;
}

/** Differences below this count as equal. */
const epsilon = 1e-10;

/**
 * Computes for each operation the probability that leads to the target number of sampled traces per second, from its
 * counts in the last intervals. Source: Jaeger 1.62, plugin/sampling/strategyprovider/adaptive/post_aggregator.go
 */
export class ProbabilityCalculator {
  readonly #settings: CalculationSettings;
  /** Buckets, newest first. */
  #buckets: Bucket[] = [];
  /** Results of the previous calculation. */
  #verdicts = new OperationMap<Verdict>();

  constructor(settings: CalculationSettings) {
    this.#settings = settings;
  }

  /** Adds the newest interval, and removes the oldest when there are more than `aggregationBuckets`. */
  addNewest(throughput: readonly OperationThroughput[], intervalMs: number): void {
    this.#buckets.unshift(bucketOf(throughput, intervalMs));
    this.#buckets.length = Math.min(this.#buckets.length, this.#settings.aggregationBuckets);
  }

  /** Adds an interval before all others, unless there are already `aggregationBuckets`. */
  addOldest(throughput: readonly OperationThroughput[], intervalMs: number): void {
    if (this.#buckets.length < this.#settings.aggregationBuckets) {
      this.#buckets.push(bucketOf(throughput, intervalMs));
    }
  }

  /**
   * The probabilities of all operations that occur in an interval.
   * @param current the probabilities that clients use now
   */
  calculate(current: OperationMap<number>): OperationProbability[] {
    const verdicts = new OperationMap<Verdict>();
    const calculated: OperationProbability[] = [];
    for (const [service, operation, rates] of this.#rates().entries()) {
      const qps = weightedMean(rates);
      const old = current.get(service, operation) ?? this.#settings.initialProbability;
      const usesAdaptive = this.#usesAdaptive(service, operation, old);
      verdicts.set(service, operation, { probability: old, usesAdaptive });
      const probability = usesAdaptive ? this.#next(old, qps) : old;
      calculated.push({ service, operation, probability, qps });
    }
    this.#verdicts = verdicts;
    return calculated;
  }

  /**
   * Sampled traces per second of each operation, newest interval first. Intervals without the operation are skipped.
   */
  #rates(): OperationMap<number[]> {
    const all = new OperationMap<number[]>();
    for (const { seconds, throughput } of this.#buckets) {
      for (const [service, operation, { count }] of throughput.entries()) {
        const rates = all.get(service, operation);
        if (rates === undefined) {
          all.set(service, operation, [count / seconds]);
        } else if (rates.length < this.#settings.bucketsForCalculation) {
          rates.push(count / seconds);
        }
      }
    }
    return all;
  }

  /**
   * True when clients use the probabilities that they receive. A new operation counts as doing so: if it does not, its
   * next counts will lack the new probability.
   */
  #usesAdaptive(service: string, operation: string, probability: number): boolean {
    const { initialProbability } = this.#settings;
    if (equals(probability, initialProbability)) {
      return true;
    }
    const latest = this.#buckets[0]?.throughput.get(service, operation);
    if (latest !== undefined) {
      return latest.probabilities.includes(probabilityText(probability));
    }
    const before = this.#verdicts.get(service, operation);
    return before?.usesAdaptive === true && !equals(before.probability, initialProbability);
  }

  #next(old: number, qps: number): number {
    const {
      targetSamplesPerSecond: target,
      deltaTolerance,
      minProbability,
      maxIncrease = 1,
    } = this.#settings;
    if (Math.abs(qps - target) / target < deltaTolerance) {
      return old;
    }
    const next = equals(qps, 0) ? old * 2 : cappedIncrease(old, old * (target / qps), maxIncrease);
    return Math.min(1, Math.max(minProbability, next));
  }
}

/** Limits the growth of a probability. It falls without limit, because too many samples do more harm than too few. */
function cappedIncrease(old: number, wanted: number, maxIncrease: number): number {
  return (wanted - old) / old > maxIncrease ? old + old * maxIncrease : wanted;
}

function bucketOf(throughput: readonly OperationThroughput[], intervalMs: number): Bucket {
  const map = new OperationMap<OperationThroughput>();
  for (const entry of throughput) {
    map.set(entry.service, entry.operation, entry);
  }
  return { seconds: intervalMs / 1_000, throughput: map };
}

/** Weighted mean. The weights are the fourth powers of n, n−1, … 1, so that the newest rate counts most. */
function weightedMean(rates: readonly number[]): number {
  let weights = 0;
  for (let place = 1; place <= rates.length; place++) {
    weights += place ** 4;
  }
  return rates.reduce((sum, rate, index) => sum + rate * ((rates.length - index) ** 4 / weights), 0);
}

function equals(one: number, other: number): boolean {
  return Math.abs(one - other) < epsilon;
}
