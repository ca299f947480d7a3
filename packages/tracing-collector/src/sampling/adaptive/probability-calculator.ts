import type { OperationProbability, OperationThroughput } from "storage/api";
import { OperationMap } from "./operation-map.ts";
import { probabilityText } from "./throughput-counter.ts";

export interface CalculationSettings {
  /** Target of sampled traces per second and operation; more than 0. */
  readonly targetSamplesPerSecond: number;
  /** Ratio by which a rate may differ from the target without a change. */
  readonly deltaTolerance: number;
  /** Probability of an operation before its first calculation. */
  readonly initialProbability: number;
  /** Lowest probability, so that a busy operation keeps a few traces. */
  readonly minProbability: number;
  /** Number of latest buckets that count for an operation. */
  readonly bucketsForCalculation: number;
  /** Number of buckets kept. */
  readonly aggregationBuckets: number;
  /** Largest growth of a probability in one step, as a ratio; 1 by default, which doubles it. */
  readonly maxIncrease?: number;
}

interface Bucket {
  /** Length of the interval. */
  readonly seconds: number;
  /** Spans by service and operation. */
  readonly throughput: OperationMap<OperationThroughput>;
}

interface Verdict {
  /** New probability. */
  readonly probability: number;
  /** Whether clients of the service follow calculated probabilities yet. */
  readonly usesAdaptive: boolean;
}

/** Smaller differences count as equal. */
const epsilon = 1e-10;

/**
 * Computes the probability with which each operation gives the target number of sampled traces per second,
 * from its counts in the last intervals. Source: public model 1.62,
 * plugin/sampling/strategyprovider/adaptive/post_aggregator.go
 */
export class ProbabilityCalculator {
  readonly #settings: CalculationSettings;
  /** Newest first. */
  #buckets: Bucket[] = [];
  /** Verdicts of the calculation before. */
  #verdicts = new OperationMap<Verdict>();

  constructor(settings: CalculationSettings) {
    this.#settings = settings;
  }

  /** Adds the newest interval, and forgets the oldest when there are more than `aggregationBuckets`. */
  addNewest(throughput: readonly OperationThroughput[], intervalMs: number): void {
    this.#buckets.unshift(bucketOf(throughput, intervalMs));
    this.#buckets.length = Math.min(this.#buckets.length, this.#settings.aggregationBuckets);
  }

  /** Adds an interval before all others, unless there are `aggregationBuckets` already. */
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
   * Sampled traces per second of each operation, newest interval first, without intervals in which it did not
   * occur.
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
   * Whether clients use the probabilities they receive. A new operation counts as doing so; if it does not,
   * its next counts will lack the new probability.
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

/**
 * Probabilities fall at once and rise no faster than the cap, because too many samples do more harm than too
 * few.
 */
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

/** Weights are the fourth powers of n, n−1, … 1, so that the newest rate counts most. */
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
