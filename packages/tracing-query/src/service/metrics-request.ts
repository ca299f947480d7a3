import type { AskedTime, MetricsQuery } from "storage/api";
import type { SpanKind } from "wire/model";

/** A client's request for metrics; absent fields have Jaeger's defaults. */
export interface MetricsRequest {
  readonly services: readonly string[];
  readonly groupByOperation: boolean;
  /** Kinds of counted spans; default: server spans. */
  readonly spanKinds: readonly SpanKind[] | undefined;
  /** End of the range in milliseconds since the Unix epoch; default: now. */
  readonly endUnixMs: number | undefined;
  /** Length of the range in milliseconds; default: an hour. */
  readonly lookbackMs: number | undefined;
  /** Time between two points in milliseconds; default: 5 s. */
  readonly stepMs: number | undefined;
  /** Time over which each rate is computed, in milliseconds; default: 10 minutes. */
  readonly ratePerMs: number | undefined;
}

/** Minimum step in milliseconds: the value that Jaeger reports for Prometheus. The store counts by minute. */
export const minStepMs = 1;

/** The query of a request. @param nowMs milliseconds since the Unix epoch */
export function metricsQueryOf(request: MetricsRequest, nowMs: number): MetricsQuery {
  const endUnixMs = request.endUnixMs ?? nowMs;
  return {
    services: request.services,
    spanKinds: request.spanKinds ?? ["server"],
    groupByOperation: request.groupByOperation,
    startUnixMs: endUnixMs - (request.lookbackMs ?? 3_600_000),
    endUnixMs,
    stepMs: request.stepMs ?? 5_000,
    ratePerMs: request.ratePerMs ?? 600_000,
  };
}

/** The range of start times of the spans that the points of metrics cover. */
export function timeOfMetrics({ startUnixMs, endUnixMs, ratePerMs }: MetricsQuery): AskedTime {
  const nano = (ms: number) => BigInt(Math.floor(ms)) * 1_000_000n;
  return { startUnixNano: nano(startUnixMs - ratePerMs - 60_000), endUnixNano: nano(endUnixMs) };
}
