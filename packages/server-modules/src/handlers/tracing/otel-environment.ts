import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace";
import { ServerError } from "server-core/errors";
import { type Environment, wholeNumber } from "server-core/otlp/environment-values";

/** Sizes and times of the queue of finished spans. */
export interface SpanQueueLimits {
  /**
   * Maximum number of spans that may wait; further spans are dropped and counted. OTEL_BSP_MAX_QUEUE_SIZE, default
   * 2,048
   */
  readonly maxQueueSize: number;
  /**
   * Maximum number of spans in one export; more waiting spans need several exports. OTEL_BSP_MAX_EXPORT_BATCH_SIZE,
   * default 512
   */
  readonly maxExportBatchSize: number;
  /** Milliseconds between exports. OTEL_BSP_SCHEDULE_DELAY, default 1,000 */
  readonly scheduledDelayMillis: number;
  /** Timeout of one export, in milliseconds. OTEL_BSP_EXPORT_TIMEOUT, default 30,000 */
  readonly exportTimeoutMillis: number;
}

/**
 * Reads `OTEL_BSP_*`. Spans above `maxQueueSize` (2048) are dropped. The default delay is one second, not five seconds
 * as in the SDK, so that the trace of the first page view is visible soon.
 * @throws ServerError MODULE_CONFIG
 * Source: OpenTelemetry specification, "Environment Variable Specification"
 */
export function spanQueueLimits(environment: Environment): SpanQueueLimits {
  return {
    maxQueueSize: wholeNumber(environment, "OTEL_BSP_MAX_QUEUE_SIZE", 2_048),
    maxExportBatchSize: wholeNumber(environment, "OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 512),
    scheduledDelayMillis: wholeNumber(environment, "OTEL_BSP_SCHEDULE_DELAY", 1_000),
    exportTimeoutMillis: wholeNumber(environment, "OTEL_BSP_EXPORT_TIMEOUT", 30_000),
  };
}

/** Reads the sampled share of traces. @throws ServerError MODULE_CONFIG for a text that is not a number from 0 to 1 */
function ratio(environment: Environment): Sampler {
  const text = environment.OTEL_TRACES_SAMPLER_ARG ?? "";
  const value = text === "" ? 1 : Number(text);
  if (!(value >= 0 && value <= 1)) {
    throw new ServerError(
      "MODULE_CONFIG",
      `environment variable OTEL_TRACES_SAMPLER_ARG: ${JSON.stringify(text)} is not a number from 0 to 1`,
    );
  }
  return new TraceIdRatioBasedSampler(value);
}

/**
 * Reads `OTEL_TRACES_SAMPLER` and its argument. Default: the parent's decision, else every trace.
 * | OTEL_TRACES_SAMPLER | Argument |
 * |---|---|
 * | `always_on`, `always_off` | none |
 * | `traceidratio` | a share, such as `0.1` (1) |
 * | `jaeger_remote` | see {@link parseRemoteSettings} |
 * | the same names with `parentbased_` | the same; the caller's decision takes precedence |
 * @param remote creates the sampler `jaeger_remote`
 * @throws ServerError MODULE_CONFIG
 */
export function samplerOf(environment: Environment, remote: () => Sampler): Sampler {
  const name = environment.OTEL_TRACES_SAMPLER || "parentbased_always_on";
  const root = name.replace(/^parentbased_/, "");
  const samplers: Readonly<Record<string, () => Sampler>> = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => ratio(environment),
    jaeger_remote: remote,
  };
  const make = Object.hasOwn(samplers, root) ? samplers[root] : undefined;
  if (make === undefined) {
    throw new ServerError(
      "MODULE_CONFIG",
      `environment variable OTEL_TRACES_SAMPLER: unknown sampler ${JSON.stringify(name)}`,
    );
  }
  return root === name ? make() : new ParentBasedSampler({ root: make() });
}
