import type { TimeRange, TraceQlAttribute, TraceQlMetrics, TraceQlSeries } from "storage/api";
import type { AttributeValue } from "wire/model";
import type { QueryService } from "../../service/query-service.ts";
import type { ReadLimits } from "../../service/read-limits.ts";
import { checkMetricsSize } from "../../tempo/answer-size.ts";
import { parseMetricsQuery } from "../../tempo/parse-query.ts";
import type { EndpointRequest } from "../endpoint.ts";

/** Values that are counted apart, as many as a store allows. */
const mostSeries = 10_000;

/**
 * Series of a metrics query over all spans of the range.
 * @param stepNano the whole range in one sample by default
 * @param maxSeries those with the fewest spans are left out
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
    readonly range: TimeRange;
    readonly limits: ReadLimits;
    readonly stepNano?: bigint;
    readonly exemplars?: boolean;
    readonly maxSeries?: number;
  },
  read: EndpointRequest["read"],
): Promise<TraceQlMetrics> {
  const query = parseMetricsQuery(text);
  const metrics = await service.search.metrics({ query, range, stepNano, maxSeries, exemplars }, read);
  checkMetricsSize(metrics, limits);
  return metrics;
}

/** The value of a label; undefined for spans that lack the attribute. */
export function labelOf({ labels }: TraceQlSeries, key?: string): AttributeValue | undefined {
  const found = labels.find(([name]: TraceQlAttribute) => (key === undefined ? name !== "p" : name === key));
  return found === undefined || found[1].type === "empty" || found[0] === "__name__" ? undefined : found[1];
}

/** The sum of a series' samples. */
export function sumOf({ samples }: TraceQlSeries): number {
  return samples.reduce((sum, { value }) => sum + value, 0);
}
