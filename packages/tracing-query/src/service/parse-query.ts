import { parseTraceQl, TraceQlError, type TraceQlQuery } from "traceql";
import { QueryError } from "../query-error.ts";

/**
 * Parses a TraceQL query.
 * @param parameter name of the request's parameter, for errors
 * @throws QueryError QUERY_BAD_PARAMETER, with line and column in Tempo's form
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

/** Parses a query that selects traces. @throws QueryError QUERY_BAD_PARAMETER, also for a metrics query */
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

/** Parses a metrics query. @throws QueryError QUERY_BAD_PARAMETER, also for a query that selects traces */
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
