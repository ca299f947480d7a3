import type { Logger } from "lifecycle";
import type { CalculatedProbabilities, SamplingStore } from "storage/api";
import {
  type PerOperationSamplingStrategies,
  type SamplingStrategyResponse,
  SamplingStrategyType,
} from "wire/api-v2";
import { RepeatingTask } from "../../pipeline/repeating-task.ts";
import type { SamplingProvider } from "../sampling-provider.ts";
import { OperationMap } from "./operation-map.ts";
import { type CalculationSettings, ProbabilityCalculator } from "./probability-calculator.ts";
import type { SamplingMetrics } from "./sampling-metrics.ts";
import type { ThroughputCounter } from "./throughput-counter.ts";

export interface AdaptiveSettings extends CalculationSettings {
  /** Milliseconds between calculations. Jaeger: `sampling.calculation-interval` */
  readonly calculationIntervalMs: number;
  /** Minimum age in milliseconds of counts that are used. */
  readonly delayMs: number;
  /** Minimum of traces per second and operation that clients sample, in addition to the probability. */
  readonly minSamplesPerSecond: number;
}

export interface AdaptiveContext {
  /** Shares throughput and probabilities among collectors. */
  readonly store: SamplingStore;
  /** Name of this process, unique among collectors. */
  readonly owner: string;
  /** Counts the spans of this collector. */
  readonly counter: ThroughputCounter;
  /** Chooses the collector that calculates. */
  readonly election: { readonly isLeader: boolean; close(signal: AbortSignal): Promise<void> };
  readonly metrics: SamplingMetrics;
  readonly log: Logger;
  /** Present time in milliseconds since the Unix epoch. Default: `Date.now`. */
  readonly now?: () => number;
  /** Random number from 0 to 1, for jitter. Default: `Math.random`. */
  readonly random?: () => number;
}

/**
 * Maximum time between loads of probabilities from the store, in milliseconds. If the calculation interval is shorter,
 * it is used instead.
 */
const maxRefreshMs = 20_000;

/** Maximum number of queries at startup. Older intervals are not read. */
const maxPastBuckets = 60;

/** Time limit in milliseconds for the last writes to the store when the provider closes. */
const closeMs = 1_000;

/**
 * Sampling probabilities that follow the traffic. Every collector saves its counts and reads the counts of all
 * collectors, so that each can become leader. The leader computes and saves the probabilities; the others load them.
 * While the store is down, the last probabilities stay in use, and counts are saved later.
 */
export class AdaptiveSamplingProvider implements SamplingProvider {
  readonly #settings: AdaptiveSettings;
  readonly #context: AdaptiveContext;
  readonly #now: () => number;
  readonly #calculator: ProbabilityCalculator;
  readonly #calculating: RepeatingTask;
  readonly #refreshing: RepeatingTask;
  readonly #refreshMs: number;
  readonly #closing = new AbortController();
  /** Time up to which counts were read. */
  #readUpTo: number;
  #hasLed = false;
  #probabilities = new OperationMap<number>();
  #calculatedUnixMs = Number.NEGATIVE_INFINITY;
  #strategies: ReadonlyMap<string, SamplingStrategyResponse> = new Map();
  readonly #unknown: SamplingStrategyResponse;

  constructor(settings: AdaptiveSettings, context: AdaptiveContext) {
    this.#settings = settings;
    this.#context = context;
    this.#now = context.now ?? Date.now;
    this.#calculator = new ProbabilityCalculator(settings);
    this.#readUpTo = this.#now() - settings.delayMs;
    this.#unknown = this.#strategyOf([]);
    this.#calculating = new RepeatingTask(async () => {
      await this.calculate();
      return settings.calculationIntervalMs;
    });
    this.#refreshMs = Math.min(maxRefreshMs, settings.calculationIntervalMs);
    this.#refreshing = new RepeatingTask(async () => {
      await this.refresh();
      return this.#refreshMs;
    });
  }

  /** Starts the provider. Resolves when the store's data was loaded, or the store is down. */
  async start(): Promise<void> {
    const { random = Math.random } = this.#context;
    await this.#attempt("loaded", () => this.#load());
    await this.#attempt("loaded", () => this.#readPast());
    this.#calculating.start(this.#settings.calculationIntervalMs);
    // The first delay is random, so that collectors that start together do not all load at once.
    this.#refreshing.start((this.#refreshMs / 2) * (1 + random()));
  }

  strategyFor(service: string): SamplingStrategyResponse {
    return this.#strategies.get(service) ?? this.#unknown;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([this.#calculating.stop(), this.#refreshing.stop()]);
    const signal = AbortSignal.timeout(closeMs);
    await this.#saveCounts(signal).catch((error: unknown) => {
      this.#context.log.warn({ err: error }, "adaptive sampling: the last counts are lost");
    });
    await this.#context.election.close(signal);
  }

  /** Runs one calculation. Only the timer and tests call this. */
  async calculate(): Promise<void> {
    const { election, metrics } = this.#context;
    await this.#attempt("saved", () => this.#saveCounts(this.#closing.signal));
    const isRead = await this.#attempt("read", () => this.#readCounts());
    const { isLeader } = election;
    metrics.leader.set(isLeader ? 1 : 0);
    if (!isRead) {
      return;
    }
    if (isLeader) {
      await this.#attempt("computed", () => this.#lead());
    }
    this.#hasLed = isLeader;
  }

  /** Loads the leader's probabilities, unless this collector is the leader. Only the timer and tests call this. */
  async refresh(): Promise<void> {
    if (!this.#context.election.isLeader) {
      await this.#attempt("loaded", () => this.#load());
    }
  }

  async #saveCounts(signal: AbortSignal): Promise<void> {
    const { counter, metrics, log, store } = this.#context;
    const { throughput, services, refused } = counter.take();
    if (refused > 0) {
      metrics.refused.inc(refused);
      log.warn(
        { spans: refused },
        "adaptive sampling: too many operations in one interval, spans are not counted",
      );
    }
    try {
      await store.insertThroughput(throughput, this.#now(), { signal });
    } catch (error) {
      counter.giveBack(throughput);
      throw error;
    }
    metrics.services.inc(services);
    metrics.operations.inc(throughput.length);
  }

  async #readCounts(): Promise<void> {
    const end = this.#now() - this.#settings.delayMs;
    const intervalMs = end - this.#readUpTo;
    // The clock was set back.
    if (intervalMs <= 0) {
      return;
    }
    const throughput = await this.#context.store.getThroughput(this.#readUpTo, end, {
      signal: this.#closing.signal,
    });
    this.#calculator.addNewest(throughput, intervalMs);
    this.#readUpTo = end;
  }

  /** Loads counts from before the start, so that a restart loses nothing. */
  async #readPast(): Promise<void> {
    const { aggregationBuckets, calculationIntervalMs } = this.#settings;
    const { signal } = this.#closing;
    let end = this.#readUpTo;
    for (let bucket = 0; bucket < Math.min(aggregationBuckets, maxPastBuckets); bucket++) {
      const start = end - calculationIntervalMs;
      const throughput = await this.#context.store.getThroughput(start, end, { signal });
      if (throughput.length > 0) {
        this.#calculator.addOldest(throughput, calculationIntervalMs);
      }
      end = start;
    }
  }

  async #lead(): Promise<void> {
    const { store, owner, metrics } = this.#context;
    // Continues from the probabilities of the former leader.
    if (!this.#hasLed) {
      await this.#load();
    }
    const observe = metrics.calculateSeconds.startTimer();
    const operations = this.#calculator.calculate(this.#probabilities);
    observe();
    metrics.operationsCalculated.set(operations.length);
    const calculated = { owner, calculatedUnixMs: this.#now(), operations };
    this.#use(calculated);
    await store.insertProbabilities(calculated, { signal: this.#closing.signal });
  }

  async #load(): Promise<void> {
    const latest = await this.#context.store.latestProbabilities({ signal: this.#closing.signal });
    if (latest !== undefined && latest.calculatedUnixMs > this.#calculatedUnixMs) {
      this.#use(latest);
    }
  }

  #use({ calculatedUnixMs, operations }: CalculatedProbabilities): void {
    const probabilities = new OperationMap<number>();
    for (const { service, operation, probability } of operations) {
      probabilities.set(service, operation, probability);
    }
    const strategies = new Map<string, SamplingStrategyResponse>();
    for (const [service, ofService] of probabilities.services()) {
      const perOperation = [...ofService].map(([operation, samplingRate]) => ({
        operation,
        probabilisticSampling: { samplingRate },
      }));
      perOperation.sort((one, other) => (one.operation < other.operation ? -1 : 1));
      strategies.set(service, this.#strategyOf(perOperation));
    }
    this.#probabilities = probabilities;
    this.#strategies = strategies;
    this.#calculatedUnixMs = calculatedUnixMs;
  }

  #strategyOf(
    perOperationStrategies: PerOperationSamplingStrategies["perOperationStrategies"],
  ): SamplingStrategyResponse {
    return {
      strategyType: SamplingStrategyType.PROBABILISTIC,
      probabilisticSampling: undefined,
      rateLimitingSampling: undefined,
      operationSampling: {
        defaultSamplingProbability: this.#settings.initialProbability,
        defaultLowerBoundTracesPerSecond: this.#settings.minSamplesPerSecond,
        perOperationStrategies,
        defaultUpperBoundTracesPerSecond: 0,
      },
    };
  }

  /** @returns false when the work failed; sampling continues */
  async #attempt(what: string, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      if (!this.#closing.signal.aborted) {
        this.#context.log.warn(
          { err: error },
          `adaptive sampling: sampling data cannot be ${what}: ${(error as Error).message}`,
        );
      }
      return false;
    }
  }
}
