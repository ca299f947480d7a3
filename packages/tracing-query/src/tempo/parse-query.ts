import { parseTraceQl, TraceQlError, type TraceQlQuery } from "traceql";
import { QueryError } from "../query-error.ts";

/**
 * A TraceQL query.
 * @param parameter where it stands
 * @throws QueryError QUERY_BAD_PARAMETER, with line and column as Tempo says them
 */
export function parseQuery(text: string, parameter = "q"): TraceQlQuery {
  try {
    return parseTraceQl(text);
  } catch (error) {
    if (!(error instanceof TraceQlError)) {
      throw error;
    }
    throw new QueryError("QUERY_BAD_PARAMETER", `invalid TraceQL query: ${error.message}`, {
      cause: error,
      parameter,
    });
  }
}

/** A query that selects traces. @throws QueryError QUERY_BAD_PARAMETER for one of metrics, too */
export function parseSearchQuery(text: string): TraceQlQuery {
  const query = parseQuery(text);
  if (query.type !== "search") {
    throw new QueryError(
      "QUERY_BAD_PARAMETER",
      "invalid TraceQL query: this is a query of metrics: ask /api/metrics/query_range",
      { parameter: "q" },
    );
  }
  return query;
}

/** A query that gives series. @throws QueryError QUERY_BAD_PARAMETER for one that selects traces, too */
export function parseMetricsQuery(text: string): TraceQlQuery {
  const query = parseQuery(text);
  if (query.type !== "metrics") {
    throw new QueryError(
      "QUERY_BAD_PARAMETER",
      "invalid TraceQL query: not a query of metrics, such as { } | rate(): ask /api/search",
      { parameter: "q" },
    );
  }
  return query;
}
