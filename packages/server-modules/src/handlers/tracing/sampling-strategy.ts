import {
  type Sampler,
  SamplingDecision,
  type SamplingResult,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace";
import { z } from "zod";

/** A probability, from 0 to 1. */
const probability = z.number().min(0).max(1);

/** A collector's sampling strategy: its protobuf message as JSON. Source: Jaeger, `api_v2/sampling.proto` */
export const strategySchema = z.object({
  strategyType: z.union([z.enum(["PROBABILISTIC", "RATE_LIMITING"]), z.literal(0), z.literal(1)]).optional(),
  probabilisticSampling: z.object({ samplingRate: probability }).nullish(),
  rateLimitingSampling: z.object({ maxTracesPerSecond: z.number().min(0) }).nullish(),
  operationSampling: z
    .object({
      defaultSamplingProbability: probability.optional(),
      defaultLowerBoundTracesPerSecond: z.number().min(0).optional(),
      perOperationStrategies: z
        .array(
          z.object({
            operation: z.string(),
            probabilisticSampling: z.object({ samplingRate: probability }).nullish(),
          }),
        )
        .max(10_000)
        .nullish(),
    })
    .nullish(),
});

/** The collector's response after validation. */
export type SamplingStrategy = z.infer<typeof strategySchema>;

/** Sampling results without attributes. */
const sampled: SamplingResult = { decision: SamplingDecision.RECORD_AND_SAMPLED };
const dropped: SamplingResult = { decision: SamplingDecision.NOT_RECORD };

/** Samples a number of traces per second, with a burst of at most one second. */
export class RateLimitingSampler implements Sampler {
  readonly #perSecond: number;
  readonly #now: () => number;
  /** Traces that may be sampled now. The balance may be a fraction; each trace subtracts 1. */
  #balance: number;
  /** Time of the last balance update. */
  #lastMs: number;

  /** @param now clock in milliseconds that never runs backwards */
  constructor(perSecond: number, now = () => performance.now()) {
    this.#perSecond = perSecond;
    this.#now = now;
    this.#balance = Math.max(1, perSecond);
    this.#lastMs = now();
  }

  shouldSample(): SamplingResult {
    const now = this.#now();
    const earned = ((now - this.#lastMs) / 1000) * this.#perSecond;
    this.#balance = Math.min(Math.max(1, this.#perSecond), this.#balance + earned);
    this.#lastMs = now;
    if (this.#balance < 1 || this.#perSecond === 0) {
      return dropped;
    }
    this.#balance--;
    return sampled;
  }

  toString(): string {
    return `RateLimitingSampler{${this.#perSecond}}`;
  }
}

/** Samples a share of the traces of each operation, and at least a minimum number of traces per second. */
class OperationSampler implements Sampler {
  readonly #byName: ReadonlyMap<string, Sampler>;
  /** Decides for operations that have no strategy. */
  readonly #fallback: Sampler;
  /** Samplers of the guaranteed minimum rate, by operation name. */
  readonly #lowerBounds = new Map<string, RateLimitingSampler>();
  /** Minimum of sampled traces per second for each operation; 0: no minimum. */
  readonly #lowerBound: number;

  constructor(strategy: NonNullable<SamplingStrategy["operationSampling"]>) {
    this.#fallback = new TraceIdRatioBasedSampler(strategy.defaultSamplingProbability ?? 0);
    this.#byName = new Map(
      (strategy.perOperationStrategies ?? []).map((each) => [
        each.operation,
        new TraceIdRatioBasedSampler(each.probabilisticSampling?.samplingRate ?? 0),
      ]),
    );
    this.#lowerBound = strategy.defaultLowerBoundTracesPerSecond ?? 0;
  }

  shouldSample(...span: Parameters<Sampler["shouldSample"]>): SamplingResult {
    const [, , name] = span;
    const known = this.#byName.get(name);
    const result = (known ?? this.#fallback).shouldSample(...span);
    if (this.#lowerBound === 0) {
      return result;
    }
    // Operation names that the strategy does not list share one minimum, because clients can choose them.
    const key = known === undefined ? "" : name;
    const bound = this.#lowerBounds.get(key) ?? new RateLimitingSampler(this.#lowerBound);
    this.#lowerBounds.set(key, bound);
    const within = bound.shouldSample();
    return result.decision === SamplingDecision.RECORD_AND_SAMPLED ? result : within;
  }

  toString(): string {
    return `OperationSampler{${this.#byName.size}}`;
  }
}

/**
 * Creates the sampler for a strategy.
 * | Strategy | Sampler |
 * |---|---|
 * | `operationSampling` | a share for each operation, with a lower bound |
 * | `rateLimitingSampling`, type not `PROBABILISTIC` | traces a second |
 * | any other | a share of all traces |
 */
export function samplerFor(strategy: SamplingStrategy): Sampler {
  if (strategy.operationSampling) {
    return new OperationSampler(strategy.operationSampling);
  }
  if (
    strategy.rateLimitingSampling &&
    strategy.strategyType !== "PROBABILISTIC" &&
    strategy.strategyType !== 0
  ) {
    return new RateLimitingSampler(strategy.rateLimitingSampling.maxTracesPerSecond);
  }
  return new TraceIdRatioBasedSampler(strategy.probabilisticSampling?.samplingRate ?? 0);
}
