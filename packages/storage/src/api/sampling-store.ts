import type { ReadOptions } from "./span-reader.ts";

/** Number of traces of one operation that began and were sampled by probability, between two counts. */
export interface OperationThroughput {
  /** Name of the service. */
  readonly service: string;
  /** Name of the operation. */
  readonly operation: string;
  /** Root spans sampled by probability. 0 only makes an operation known that was sampled in another way. */
  readonly count: number;
  /** The probabilities that clients reported, without repeats, as text with 6 decimals. */
  readonly probabilities: readonly string[];
}

/** The sampling probability that clients should use for one operation. */
export interface OperationProbability {
  /** Name of the service. */
  readonly service: string;
  /** Name of the operation. */
  readonly operation: string;
  /** 0 to 1. */
  readonly probability: number;
  /** Sampled traces per second from which it was computed. */
  readonly qps: number;
}

/** The result of one calculation. */
export interface CalculatedProbabilities {
  /** The collector that computed it. */
  readonly owner: string;
  /** Milliseconds since the Unix epoch. */
  readonly calculatedUnixMs: number;
  /** Probability of each operation. */
  readonly operations: readonly OperationProbability[];
}

/**
 * Data that collectors share for adaptive sampling: counts, probabilities computed from them, and a lease
 * that elects the collector that computes. Counts and probabilities are kept for at least two days, unless
 * there are very many. Every method throws `StorageError`.
 */
export interface SamplingStore {
  /** @param takenUnixMs time of the counts, in milliseconds since the Unix epoch */
  insertThroughput(
    throughput: readonly OperationThroughput[],
    takenUnixMs: number,
    options?: ReadOptions,
  ): Promise<void>;
  /**
   * All counts taken after `startUnixMs` and up to `endUnixMs`, of every collector. Each operation has one
   * entry, with counts added and probabilities united, in no order.
   */
  getThroughput(
    startUnixMs: number,
    endUnixMs: number,
    options?: ReadOptions,
  ): Promise<OperationThroughput[]>;
  /** Saves what the leader has calculated; other collectors read it. */
  insertProbabilities(calculated: CalculatedProbabilities, options?: ReadOptions): Promise<void>;
  /** The calculation of the latest time, complete; undefined when there is none. */
  latestProbabilities(options?: ReadOptions): Promise<CalculatedProbabilities | undefined>;
  /**
   * Takes the lease, or renews it when `owner` has it. It ends `ttlMs` after the last call that returned
   * `true`, by the store's clock. When two owners ask at the same moment both may get `true`; one of them
   * gets `false` at its next call. So the holder may only do work that is harmless when done twice.
   * @param name name of the lease, such as `sampling_store_leader`
   * @param owner of this process alone
   */
  acquireLease(name: string, owner: string, ttlMs: number, options?: ReadOptions): Promise<boolean>;
  /** Ends the lease if `owner` has it. */
  releaseLease(name: string, owner: string, options?: ReadOptions): Promise<void>;
}
