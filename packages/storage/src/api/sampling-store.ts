import type { ReadOptions } from "./span-reader.ts";

/** How many traces of one operation were started and kept by a probability, in a time between two counts. */
export interface OperationThroughput {
  readonly service: string;
  readonly operation: string;
  /** Root spans sampled by probability; 0 makes an operation known that was only sampled otherwise. */
  readonly count: number;
  /** The probabilities that clients said they had used, each once, as text with 6 decimals. */
  readonly probabilities: readonly string[];
}

/** What clients shall use for one operation. */
export interface OperationProbability {
  readonly service: string;
  readonly operation: string;
  /** 0 to 1. */
  readonly probability: number;
  /** Sampled traces per second from which it was computed. */
  readonly qps: number;
}

/** One calculation. */
export interface CalculatedProbabilities {
  /** Who has computed it. */
  readonly owner: string;
  /** Milliseconds since the Unix epoch. */
  readonly calculatedUnixMs: number;
  readonly operations: readonly OperationProbability[];
}

/**
 * What several collectors share for adaptive sampling: counts, probabilities computed from them, and a lease that says
 * who computes. Counts and probabilities are kept for two days at least, unless there are very many. Every method throws
 * `StorageError`.
 */
export interface SamplingStore {
  /** @param takenUnixMs when the counts were taken, milliseconds since the Unix epoch */
  insertThroughput(
    throughput: readonly OperationThroughput[],
    takenUnixMs: number,
    options?: ReadOptions,
  ): Promise<void>;
  /**
   * All counts taken after `startUnixMs` and not after `endUnixMs`, of every collector: one entry for each operation,
   * with counts added and probabilities united, in no particular order.
   */
  getThroughput(
    startUnixMs: number,
    endUnixMs: number,
    options?: ReadOptions,
  ): Promise<OperationThroughput[]>;
  insertProbabilities(calculated: CalculatedProbabilities, options?: ReadOptions): Promise<void>;
  /** The calculation of the latest time, complete; undefined when there is none. */
  latestProbabilities(options?: ReadOptions): Promise<CalculatedProbabilities | undefined>;
  /**
   * Takes the lease, or keeps it when `owner` has it. It ends `ttlMs` after the last call that gave `true`, by the
   * store's clock. Two owners may both be told `true` when they ask at the same moment; of these, one is told `false`
   * when it asks again. So whoever holds it may only do what does no harm when done twice.
   * @param name of what is leased, such as `sampling_store_leader`
   * @param owner of the process, no other's
   */
  acquireLease(name: string, owner: string, ttlMs: number, options?: ReadOptions): Promise<boolean>;
  /** Ends the lease if `owner` has it. */
  releaseLease(name: string, owner: string, options?: ReadOptions): Promise<void>;
}
