import type { Endpoint } from "../http/endpoint.ts";
import { QueryError } from "../query-error.ts";
import type { QueryService } from "../service/query-service.ts";
import { checkLimits, type ReadLimits } from "../service/read-limits.ts";
import { instantQuery, renamed } from "./instant-query.ts";
import { instantJson, rangeJson } from "./metrics-json.ts";
import { parseMetricsQuery } from "./parse-query.ts";
import { metricsRange, stepParam, uint32Param } from "./time-params.ts";

/** Tempo's default. */
const maxSeries = 1_000;

/** Tempo's default, and the most. */
const defaultExemplars = 100;

function queryOf(params: URLSearchParams, limits: ReadLimits) {
  // Grafana calls it so, too.
  const text = params.get("q") || params.get("query") || "";
  if (text === "") {
    throw new QueryError("QUERY_BAD_PARAMETER", "invalid TraceQL query: q is required", { parameter: "q" });
  }
  const query = parseMetricsQuery(text);
  const range = metricsRange(params, Date.now());
  checkLimits(
    { limit: 1, startTimeMinUnixNano: range.startUnixNano, startTimeMaxUnixNano: range.endUnixNano },
    limits,
  );
  return { query, range, maxSeries };
}

/** `GET /api/metrics/query_range`: series over time. */
export function queryRangeEndpoint(service: QueryService, limits: ReadLimits): Endpoint {
  return async ({ params, read }) => {
    const query = queryOf(params, limits);
    const stepNano = stepParam(params, query.range);
    const maxExemplars = Math.min(uint32Param(params, "exemplars") ?? defaultExemplars, defaultExemplars);
    const exemplars = maxExemplars > 0;
    return rangeJson(await service.search.metrics({ ...query, stepNano, exemplars }, read), maxExemplars);
  };
}

/** `GET /api/metrics/query`: one value of each series, over all of the range. */
export function queryInstantEndpoint(service: QueryService, limits: ReadLimits): Endpoint {
  return async ({ params, read }) => {
    const { query, range, ...others } = queryOf(params, limits);
    const seconds = Number(range.endUnixNano - range.startUnixNano) / 1e9;
    const instant = instantQuery(query, seconds);
    const stepNano = range.endUnixNano;
    const metrics = await service.search.metrics({ ...others, query: instant, range, stepNano }, read);
    return instantJson(renamed(metrics, query));
  };
}
