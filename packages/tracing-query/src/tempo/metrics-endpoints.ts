import type { ReadOptions, TraceQlMetrics } from "storage/api";
import type { Endpoint } from "../http/endpoint.ts";
import { QueryError } from "../query-error.ts";
import { checkMetricsSize } from "../service/answer-size.ts";
import { parseMetricsQuery } from "../service/parse-query.ts";
import type { QueryService } from "../service/query-service.ts";
import { checkLimits, type ReadLimits } from "../service/read-limits.ts";
import { instantQuery, renamed } from "./instant-query.ts";
import { instantJson, rangeJson } from "./metrics-json.ts";
import { metricsRange, stepParam, uint32Param } from "./time-params.ts";

/** Maximum number of series: Tempo's default. */
const maxSeries = 1_000;

/** Default and maximum number of exemplars, the same as Tempo's default. */
const defaultExemplars = 100;

function queryOf(params: URLSearchParams, limits: ReadLimits) {
  // Grafana also sends the query in the parameter `query`.
  const text = params.get("q") || params.get("query") || "";
  if (text === "") {
    throw new QueryError("QUERY_BAD_PARAMETER", "invalid TraceQL query: q is required", { parameter: "q" });
  }
  const query = parseMetricsQuery(text);
  const range = metricsRange(params, Date.now(), limits);
  checkLimits(
    { limit: 1, startTimeMinUnixNano: range.startUnixNano, startTimeMaxUnixNano: range.endUnixNano },
    limits,
  );
  return { query, range, maxSeries };
}

/** Series over time, and the number of exemplars to show. */
export async function readRange(
  service: QueryService,
  limits: ReadLimits,
  params: URLSearchParams,
  read: ReadOptions,
): Promise<{ metrics: TraceQlMetrics; maxExemplars: number }> {
  const query = queryOf(params, limits);
  const stepNano = stepParam(params, query.range);
  const maxExemplars = Math.min(uint32Param(params, "exemplars") ?? defaultExemplars, defaultExemplars);
  const exemplars = maxExemplars > 0;
  const metrics = await service.search.metrics({ ...query, stepNano, exemplars }, read);
  checkMetricsSize(metrics, limits);
  return { metrics, maxExemplars };
}

/** One sample of each series, for the whole range. */
export async function readInstant(
  service: QueryService,
  limits: ReadLimits,
  params: URLSearchParams,
  read: ReadOptions,
): Promise<TraceQlMetrics> {
  const { query, range, ...others } = queryOf(params, limits);
  const seconds = Number(range.endUnixNano - range.startUnixNano) / 1e9;
  const instant = instantQuery(query, seconds);
  const stepNano = range.endUnixNano;
  const metrics = await service.search.metrics({ ...others, query: instant, range, stepNano }, read);
  checkMetricsSize(metrics, limits);
  return renamed(metrics, query);
}

/** `GET /api/metrics/query_range` */
export function queryRangeEndpoint(service: QueryService, limits: ReadLimits): Endpoint {
  return async ({ params, read }) => {
    const { metrics, maxExemplars } = await readRange(service, limits, params, read);
    return rangeJson(metrics, maxExemplars, read.reasons.partial);
  };
}

/** `GET /api/metrics/query` */
export function queryInstantEndpoint(service: QueryService, limits: ReadLimits): Endpoint {
  return async ({ params, read }) =>
    instantJson(await readInstant(service, limits, params, read), read.reasons.partial);
}
