import type { HeatMap, HeatMapCell, TimeRange, TraceQlSeries } from "storage/api";
import { QueryError } from "../../query-error.ts";
import { parseQuery } from "../../service/parse-query.ts";
import type { SearchService } from "../../service/search-service.ts";
import type { EndpointRequest } from "../endpoint.ts";
import type { SpanFilterValues } from "./span-filter.ts";
import { parseSpanQuery } from "./traceql-filter.ts";

/** Minimum column width in nanoseconds, the finest resolution of span-counting metrics. */
const leastWidthNano = 1_000_000n;

/** Maximum number of rows: 64 for durations, and one for durations of zero or less. */
const maxSeries = 65;

/** Starts with a line break, because the query may end in a comment. */
const histogram = "\n| histogram_over_time(duration)";

/** Filter and time range of a heat map. */
interface HeatMapWindow {
  /** Other conditions of the request. Any of them is refused, because the query replaces them. */
  readonly values: SpanFilterValues;
  readonly window: { readonly range: TimeRange; readonly widthNano: bigint };
  /** Tenant and abort signal of the request. */
  readonly read: EndpointRequest["read"];
}

/**
 * Computes a heat map of the spans that a TraceQL query selects. Columns start at multiples of their width. A span that
 * starts exactly at such a multiple counts for the previous column.
 * @param widthNano column width in nanoseconds; a store with a coarser limit gives wider columns
 * @throws QueryError QUERY_BAD_PARAMETER, also for a query with hints
 */
export async function heatMapOfQuery(
  search: SearchService,
  q: string,
  { values, window: { range, widthNano }, read }: HeatMapWindow,
): Promise<HeatMap> {
  parseSpanQuery(q, values);
  const columnNano = widthNano > leastWidthNano ? widthNano : leastWidthNano;
  const beyond = ((range.startUnixNano % columnNano) + columnNano) % columnNano;
  const startUnixNano = range.startUnixNano - beyond;
  const seriesOf = async (filter: string) => {
    const query = parseAppended(q, filter);
    return (await search.metrics({ query, range, stepNano: columnNano, maxSeries }, read)).series;
  };
  const [all, failed] = await Promise.all([seriesOf(""), seriesOf("\n| { status = error }")]);
  const cells = new Map<string, HeatMapCell>();
  const count = (series: readonly TraceQlSeries[], key: "spans" | "errors") => {
    for (const { labels, samples } of series) {
      const durationLog2 = rowOf(labels);
      for (const { unixNano, value } of samples) {
        // A sample covers the time before its timestamp.
        const column = Math.max(0, Number((unixNano - startUnixNano) / columnNano) - 1);
        const id = `${column}/${durationLog2}`;
        const cell = cells.get(id) ?? { column, durationLog2, spans: 0, errors: 0 };
        cells.set(id, { ...cell, [key]: cell[key] + value });
      }
    }
  };
  count(all, "spans");
  count(failed, "errors");
  const inOrder = [...cells.values()]
    .filter(({ spans }) => spans > 0)
    .sort((one, other) => one.column - other.column || one.durationLog2 - other.durationLog2);
  return { startUnixNano, columnNano, cells: inOrder };
}

/** @throws QueryError QUERY_BAD_PARAMETER */
function parseAppended(q: string, filter: string) {
  try {
    return parseQuery(q + filter + histogram);
  } catch (error) {
    const message = "parameter 'q' cannot be counted: a heat map takes no hints, `with (…)`";
    throw new QueryError("QUERY_BAD_PARAMETER", message, { parameter: "q", cause: error });
  }
}

/** The row of a series; its label is the upper limit of the duration, a power of two in seconds. */
function rowOf(labels: TraceQlSeries["labels"]): number {
  const bound = labels.find(([key]) => key === "__bucket")?.[1];
  const seconds = bound?.type === "double" ? bound.value : 0;
  return seconds > 0 ? Math.max(0, Math.round(Math.log2(seconds * 1e9)) - 1) : 0;
}
