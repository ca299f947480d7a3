import { type SpanKind, spanKinds } from "wire/model";
import { parseBool, parseFloatText } from "../go-text/parse-number.ts";
import { QueryError } from "../query-error.ts";
import { type MetricKind, metricFamilyOf } from "../service/metric-family.ts";
import { type MetricsRequest, metricsQueryOf } from "../service/metrics-request.ts";
import type { QueryService } from "../service/query-service.ts";
import type { Endpoint } from "./endpoint.ts";
import { envelope } from "./envelope.ts";
import { metricFamilyJson } from "./metric-family-json.ts";
import { integerParam, parsedParam } from "./number-params.ts";

/** Creates an error in Jaeger's words, which its UI shows. */
function bad(name: string, reason: string): QueryError {
  return new QueryError("QUERY_BAD_PARAMETER", `unable to parse param '${name}': ${reason}`);
}

/**
 * The span kinds of a request; undefined lets `metricsQueryOf` choose. @throws QueryError QUERY_BAD_PARAMETER for an
 * unknown kind
 */
function spanKindParams(params: URLSearchParams): SpanKind[] | undefined {
  if (!params.has("spanKind")) {
    return undefined;
  }
  return params.getAll("spanKind").map((text) => {
    const kind = spanKinds.find((one) => one === text);
    if (kind === undefined) {
      throw bad("spanKind", `unsupported span kind: '${text}'`);
    }
    return kind;
  });
}

/** A whole number of milliseconds; undefined when absent. */
function milliseconds(params: URLSearchParams, name: string): number | undefined {
  const value = integerParam(params, name);
  return value === undefined ? undefined : Number(value);
}

/** Parses the parameters in Jaeger's order, because clients see only the first error. */
function requestOf(params: URLSearchParams): MetricsRequest {
  if (!params.has("service")) {
    throw bad("service", "please provide at least one service name");
  }
  const grouping = params.get("groupByOperation") ?? "";
  return {
    services: params.getAll("service"),
    groupByOperation: grouping !== "" && parsedParam("groupByOperation", () => parseBool(grouping)),
    spanKinds: spanKindParams(params),
    endUnixMs: milliseconds(params, "endTs"),
    lookbackMs: milliseconds(params, "lookback"),
    stepMs: milliseconds(params, "step"),
    ratePerMs: milliseconds(params, "ratePer"),
  };
}

/** Creates the endpoint of one metric. @param metricOf parses the metric's own parameters, before the shared ones */
function metricEndpoint(service: QueryService, metricOf: (params: URLSearchParams) => MetricKind): Endpoint {
  return async ({ params, read }) => {
    const metric = metricOf(params);
    const query = metricsQueryOf(requestOf(params), Date.now());
    const series =
      metric.kind === "latencies"
        ? await service.getLatencies({ ...query, quantile: metric.quantile }, read)
        : metric.kind === "calls"
          ? await service.getCallRates(query, read)
          : await service.getErrorRates(query, read);
    return metricFamilyJson(metricFamilyOf(metric, series, query.groupByOperation));
  };
}

/**
 * `GET /api/metrics/{latencies,calls,errors,minstep}`, by path: data for the UI's monitoring page, in the form of
 * Jaeger 1.62. Errors: 400 without a service, 501 from a store without metrics, 500 when Prometheus fails.
 *
 * ```
 * GET /api/metrics/calls?service=shop&step=60000
 * {"name":"service_call_rate","type":"GAUGE","help":"calls/sec, grouped by service",
 *  "metrics":[{"labels":[{"name":"service_name","value":"shop"}],
 *              "metricPoints":[{"gaugeValue":{"doubleValue":0.0033333333333333335},"timestamp":"2026-11-29T15:55:50.018Z"},…]}]}
 * GET /api/metrics/minstep
 * {"data":1,"total":0,"limit":0,"offset":0,"errors":null}
 * ```
 */
export function metricsEndpoints(service: QueryService): [path: string, answer: Endpoint][] {
  return [
    [
      "/api/metrics/latencies",
      metricEndpoint(service, (params) => ({
        kind: "latencies",
        quantile: parsedParam("quantile", () => parseFloatText(params.get("quantile") ?? "")),
      })),
    ],
    ["/api/metrics/calls", metricEndpoint(service, () => ({ kind: "calls" }))],
    ["/api/metrics/errors", metricEndpoint(service, () => ({ kind: "errors" }))],
    ["/api/metrics/minstep", async ({ read }) => envelope([String(await service.getMinStepMs(read))])],
  ];
}
