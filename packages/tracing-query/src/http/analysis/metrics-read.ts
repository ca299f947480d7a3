import type { TimeRange, TraceQlMetrics } from "storage/api";
import { checkMetricsSize } from "../../service/answer-size.ts";
import { parseMetricsQuery } from "../../service/parse-query.ts";
import type { QueryService } from "../../service/query-service.ts";
import type { ReadLimits } from "../../service/read-limits.ts";
import type { EndpointRequest } from "../endpoint.ts";

/** Default limit of series: the maximum that a store accepts. */
const mostSeries = 10_000;

/**
 * Reads the series of a metrics query over all spans of the range.
 * @throws QueryError QUERY_BAD_PARAMETER with line and column, QUERY_TOO_LARGE
 */
export async function readSeries(
  service: QueryService,
  text: string,
  {
    range,
    limits,
    stepNano = range.endUnixNano,
    exemplars = false,
    maxSeries = mostSeries,
  }: {
    /** Time range in which spans start. */
    readonly range: TimeRange;
    /** Maximum number of spans and bytes of the answer; a larger answer is refused with 413. */
    readonly limits: ReadLimits;
    /** Nanoseconds of one step; default: one sample for the whole range. */
    readonly stepNano?: bigint;
    /** True: the series have example traces. */
    readonly exemplars?: boolean;
    /** Maximum number of series; those with the fewest spans are dropped, and the answer is marked as truncated. */
    readonly maxSeries?: number;
  },
  read: EndpointRequest["read"],
): Promise<TraceQlMetrics> {
  const query = parseMetricsQuery(text);
  const metrics = await service.search.metrics({ query, range, stepNano, maxSeries, exemplars }, read);
  checkMetricsSize(metrics, limits);
  return metrics;
}
