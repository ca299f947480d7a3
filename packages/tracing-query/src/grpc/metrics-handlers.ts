import { type handleUnaryCall, status } from "@grpc/grpc-js";
import type { Logger } from "lifecycle";
import type { MetricSeries, MetricsQuery } from "storage/api";
import type { MetricsQueryServiceServer } from "wire/grpc";
import type { GetMetricsResponse, MetricsQueryBaseRequest } from "wire/metrics-query";
import { type SpanKind, spanKinds } from "wire/model";
import { QueryError } from "../query-error.ts";
import { type MetricKind, metricFamilyOf } from "../service/metric-family.ts";
import { metricsQueryOf } from "../service/metrics-request.ts";
import type { QueryService } from "../service/query-service.ts";
import { nanosOf } from "../service/span-time.ts";
import type { CallGuard } from "./call-guard.ts";
import { type GrpcFailure, storageFailure } from "./grpc-status.ts";
import { partialTrailer, withPartial } from "./partial-trailer.ts";
import { type CallReadOptions, readOptionsOf } from "./read-options-of.ts";

/** A time of a request; undefined when absent. */
type Time = MetricsQueryBaseRequest["endTime"];

/** The part common to all metric requests. */
interface HasBaseRequest {
  readonly baseRequest: MetricsQueryBaseRequest | undefined;
}

/** Kind names by number; a number may have no kind. */
const kindNames: readonly SpanKind[] = spanKinds;

/** Milliseconds of a time or a duration. undefined lets `metricsQueryOf` choose the default. */
function millisecondsOf(time: Time): number | undefined {
  return time === undefined ? undefined : Number(nanosOf(time) / 1_000_000n);
}

/** The query of a request, or its failure without a service. Unknown kinds count as `unspecified`. */
function queryOf({ baseRequest }: HasBaseRequest): MetricsQuery | GrpcFailure {
  if (baseRequest === undefined || baseRequest.serviceNames.length === 0) {
    return { code: status.INVALID_ARGUMENT, details: "please provide at least one service name" };
  }
  const kinds = baseRequest.spanKinds.map((number) => kindNames[number] ?? "unspecified");
  return metricsQueryOf(
    {
      services: baseRequest.serviceNames,
      groupByOperation: baseRequest.groupByOperation,
      spanKinds: kinds.length === 0 ? undefined : kinds,
      endUnixMs: millisecondsOf(baseRequest.endTime),
      lookbackMs: millisecondsOf(baseRequest.lookback),
      stepMs: millisecondsOf(baseRequest.step),
      ratePerMs: millisecondsOf(baseRequest.ratePer),
    },
    Date.now(),
  );
}

/** @param what name of the failed read, in Jaeger's words: "call rates" */
function failureOf(what: string, error: unknown, log: Logger): GrpcFailure {
  return error instanceof QueryError && error.code === "QUERY_NOT_SUPPORTED"
    ? { code: status.UNIMPLEMENTED, details: error.message }
    : storageFailure(`failed to fetch ${what}`, error, log);
}

/** Makes handlers of calls that read one metric. */
function rateHandler(guard: CallGuard, log: Logger) {
  return <Request extends HasBaseRequest>(
    what: string,
    metricOf: (request: Request) => MetricKind | GrpcFailure,
    fetch: (query: MetricsQuery, metric: MetricKind, read: CallReadOptions) => Promise<MetricSeries[]>,
  ): handleUnaryCall<Request, GetMetricsResponse> =>
    async (call, callback) => {
      const read = readOptionsOf(call, guard);
      if ("code" in read) {
        callback(read);
        return;
      }
      const query = queryOf(call.request);
      if ("code" in query) {
        callback(query);
        return;
      }
      const metric = metricOf(call.request);
      if ("code" in metric) {
        callback(metric);
        return;
      }
      try {
        const series = await fetch(query, metric, read);
        callback(
          null,
          { metrics: metricFamilyOf(metric, series, query.groupByOperation) },
          partialTrailer(read),
        );
      } catch (error) {
        callback(withPartial(failureOf(what, error, log), read));
      }
    };
}

/**
 * `jaeger.api_v2.metrics.MetricsQueryService`: rates, errors and durations of services, in the form of Jaeger
 * 1.62. It fails with `UNIMPLEMENTED` when the store counts no calls, and with `INVALID_ARGUMENT` without a
 * service or a quantile.
 */
export function metricsHandlers(
  service: QueryService,
  guard: CallGuard,
  log: Logger,
): MetricsQueryServiceServer {
  const handler = rateHandler(guard, log);
  return {
    async getMinStepDuration(call, callback) {
      const read = readOptionsOf(call, guard);
      if ("code" in read) {
        callback(read);
        return;
      }
      try {
        const nanos = (await service.getMinStepMs(read)) * 1_000_000;
        callback(null, { minStep: { seconds: 0n, nanos } });
      } catch (error) {
        callback(failureOf("min step duration", error, log));
      }
    },
    getLatencies: handler(
      "latencies",
      ({ quantile }) =>
        quantile === 0
          ? { code: status.INVALID_ARGUMENT, details: "please provide a quantile between (0, 1]" }
          : { kind: "latencies", quantile },
      (query, metric, read) =>
        service.getLatencies({ ...query, quantile: "quantile" in metric ? metric.quantile : 0 }, read),
    ),
    getCallRates: handler(
      "call rates",
      () => ({ kind: "calls" }),
      (query, _, read) => service.getCallRates(query, read),
    ),
    getErrorRates: handler(
      "error rates",
      () => ({ kind: "errors" }),
      (query, _, read) => service.getErrorRates(query, read),
    ),
  };
}
