import type { OperationProbability, OperationThroughput } from "storage/api";
import { OperationMap } from "./operation-map.ts";
import { probabilityText } from "./throughput-counter.ts";

export interface CalculationSettings {
  /** Sampled traces per second of each operation to aim at; more than 0. */
  readonly targetSamplesPerSecond: number;
  /** How far from the target, as a ratio, is close enough. */
  readonly deltaTolerance: number;
  readonly initialProbability: number;
  readonly minProbability: number;
  /** Latest buckets that count for an operation. */
  readonly bucketsForCalculation: number;
  /** Buckets kept. */
  readonly aggregationBuckets: number;
  /** How much a probability may grow at once, as a ratio; 1 by default, which doubles it. */
  readonly maxIncrease?: number;
}

interface Bucket {
  readonly seconds: number;
  readonly throughput: OperationMap<OperationThroughput>;
}

interface Verdict {
  readonly probability: number;
  readonly usesAdaptive: boolean;
}

/** Smaller differences are none. */
const epsilon = 1e-10;

/**
 * Computes which probability makes each operation give the wanted number of sampled traces per second, out of how many it
 * has given in the last intervals.
 * Source: public model 1.62, plugin/sampling/strategyprovider/adaptive/post_aggregator.go
 */
export class ProbabilityCalculator {
  readonly #settings: CalculationSettings;
  /** Newest first. */
  #buckets: Bucket[] = [];
  /** Of the calculation before. */
  #verdicts = new OperationMap<Verdict>();

  constructor(settings: CalculationSettings) {
    this.#settings = settings;
  }

  /** Adds the newest interval; the oldest is forgotten when there are more than `aggregationBuckets`. */
  addNewest(throughput: readonly OperationThroughput[], intervalMs: number): void {
    this.#buckets.unshift(bucketOf(throughput, intervalMs));
    this.#buckets.length = Math.min(this.#buckets.length, this.#settings.aggregationBuckets);
  }

  /** Adds an interval from before all others, unless there are `aggregationBuckets`. */
  addOldest(throughput: readonly OperationThroughput[], intervalMs: number): void {
    if (this.#buckets.length < this.#settings.aggregationBuckets) {
      this.#buckets.push(bucketOf(throughput, intervalMs));
    }
  }

  /**
   * The probabilities of all operations that are in one of the intervals.
   * @param current what clients are told now
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

  /** Sampled traces per second, of the latest intervals in which an operation was seen, newest first. */
  #rates(): OperationMap<number[]> {
    const all = new OperationMap<number[]>();
    for (const { seconds, throughput } of this.#buckets) {
      for (const [service, operation, { count }] of throughput.entries()) {
        const rates = all.get(service, operation);
        if (rates === undefined) all.set(service, operation, [count / seconds]);
        else if (rates.length < this.#settings.bucketsForCalculation) rates.push(count / seconds);
      }
    }
    return all;
  }

  /**
   * Whether clients follow what they are told. A new operation is taken to do so: if it does not, its next counts will
   * not name the new probability.
   */
  #usesAdaptive(service: string, operation: string, probability: number): boolean {
    const { initialProbability } = this.#settings;
    if (equals(probability, initialProbability)) return true;
    const latest = this.#buckets[0]?.throughput.get(service, operation);
    if (latest !== undefined) return latest.probabilities.includes(probabilityText(probability));
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
    if (Math.abs(qps - target) / target < deltaTolerance) return old;
    const next = equals(qps, 0) ? old * 2 : cappedIncrease(old, old * (target / qps), maxIncrease);
    return Math.min(1, Math.max(minProbability, next));
  }
}

/** Down at once, up no faster than the cap: too many samples do more harm than too few. */
function cappedIncrease(old: number, wanted: number, maxIncrease: number): number {
  return (wanted - old) / old > maxIncrease ? old + old * maxIncrease : wanted;
}

function bucketOf(throughput: readonly OperationThroughput[], intervalMs: number): Bucket {
  const map = new OperationMap<OperationThroughput>();
  for (const entry of throughput) map.set(entry.service, entry.operation, entry);
  return { seconds: intervalMs / 1_000, throughput: map };
}

/** Weights are the fourth powers of n, n−1, … 1, so that the newest rate counts most. */
function weightedMean(rates: readonly number[]): number {
  let weights = 0;
  for (let place = 1; place <= rates.length; place++) weights += place ** 4;
  return rates.reduce((sum, rate, index) => sum + rate * ((rates.length - index) ** 4 / weights), 0);
}

function equals(one: number, other: number): boolean {
  return Math.abs(one - other) < epsilon;
}
