import type { ReadOptions } from "./span-reader.ts";

/** Number of traces of one operation that began between two counts and were sampled by probability. */
export interface OperationThroughput {
  readonly service: string;
  readonly operation: string;
  /** Root spans sampled by probability; 0 only announces an operation whose traces were sampled in another way. */
  readonly count: number;
  /** The probabilities that clients reported, without repeats, as text with 6 decimals. */
  readonly probabilities: readonly string[];
}

/** The sampling probability that clients should use for one operation. */
export interface OperationProbability {
  readonly service: string;
  readonly operation: string;
  /** Probability, 0 to 1. */
  readonly probability: number;
  /** Sampled traces per second, from which the collector computed the probability. */
  readonly qps: number;
}

/** The result of one calculation by the collector that has the lease. */
export interface CalculatedProbabilities {
  /** Name of the collector that computed the probabilities. */
  readonly owner: string;
  /** Time of the calculation in milliseconds since the Unix epoch. */
  readonly calculatedUnixMs: number;
  readonly operations: readonly OperationProbability[];
}

/**
 * Data that collectors share for adaptive sampling: counts, probabilities computed from them, and a lease that elects
 * the collector that computes. A store keeps counts and probabilities for at least two days, unless there are very
 * many; then it may drop old ones earlier. Methods fail with `StorageError`.
 */
export interface SamplingStore {
  /** @param takenUnixMs time of the counts, in milliseconds since the Unix epoch */
  insertThroughput(
    throughput: readonly OperationThroughput[],
    takenUnixMs: number,
    options?: ReadOptions,
  ): Promise<void>;
  /**
   * The counts of all collectors, taken after `startUnixMs` and up to `endUnixMs`. Each operation has one entry: counts
   * are added, probabilities are merged. The order is undefined.
   */
  getThroughput(
    startUnixMs: number,
    endUnixMs: number,
    options?: ReadOptions,
  ): Promise<OperationThroughput[]>;
  /** Saves the leader's calculation; other collectors read it. */
  insertProbabilities(calculated: CalculatedProbabilities, options?: ReadOptions): Promise<void>;
  /** The latest complete calculation; undefined when no collector has saved one. */
  latestProbabilities(options?: ReadOptions): Promise<CalculatedProbabilities | undefined>;
  /**
   * Acquires the lease, or renews it when `owner` already has it. The lease ends `ttlMs` after the last call that
   * returned `true`, by the store's clock. Two owners that call at the same moment may both get `true`; at the next
   * call, one of them gets `false`. So two owners may work under the lease at the same time, and this must be harmless.
   * @param name name of the lease, such as `sampling_store_leader`
   * @param owner name that only this process uses
   */
  acquireLease(name: string, owner: string, ttlMs: number, options?: ReadOptions): Promise<boolean>;
  /** Ends the lease if `owner` has it. */
  releaseLease(name: string, owner: string, options?: ReadOptions): Promise<void>;
}
