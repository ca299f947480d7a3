import type { PackedTrace, TimeRange } from "storage/api";
import type { TraceQlQuery } from "traceql";
import { z } from "zod";
import { QueryError } from "../../query-error.ts";
import { parseQuery } from "../../service/parse-query.ts";
import type { QueryService } from "../../service/query-service.ts";
import { checkSpans, type ReadLimits } from "../../service/read-limits.ts";
import type { EndpointRequest } from "../endpoint.ts";
import { type SpanFilterValues, spanFields } from "./span-filter.ts";

/** A filter in TraceQL, for endpoints that accept one. */
export const queryField = z
  .string()
  .max(8_192)
  .optional()
  .describe(
    'TraceQL, such as `{ resource.service.name = "cart" && duration > 5ms }`, in place of the other conditions; times apply.',
  );

/** A filter in TraceQL in addition to the other conditions. */
export const besideField = z
  .string()
  .max(8_192)
  .optional()
  .describe(
    "TraceQL, such as `{ status = error } > { span.retries > 2 }`: spans that it selects, and that meet the other conditions.",
  );

/**
 * @param path prefix of the parameter's name in errors, such as `selection.`
 * @throws QueryError QUERY_BAD_PARAMETER with line and column, also for a metrics query
 */
export function besideQuery(q: string | undefined, path = ""): { readonly query?: TraceQlQuery } {
  return q === undefined ? {} : { query: searchQuery(q, `${path}q`) };
}

/** Conditions that cannot be combined with a TraceQL query. */
const otherConditions = [...Object.keys(spanFields), "tags", "tag"];

/** @throws QueryError QUERY_BAD_PARAMETER when the request has another condition beside the query */
function refuseOthers(values: SpanFilterValues): void {
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined && otherConditions.includes(name)) {
      const message = `parameter '${name}' cannot stand beside 'q': put it in the query`;
      throw new QueryError("QUERY_BAD_PARAMETER", message, { parameter: name });
    }
  }
}

/**
 * @throws QueryError QUERY_BAD_PARAMETER with line and column, for a metrics query, and for another condition beside
 * the query
 */
export function parseSpanQuery(q: string, values: SpanFilterValues): TraceQlQuery {
  refuseOthers(values);
  return searchQuery(q, "q");
}

function searchQuery(q: string, parameter: string): TraceQlQuery {
  const query = parseQuery(q, parameter);
  if (query.type !== "search") {
    const message = `parameter '${parameter}' is a query of metrics: take away its last stage`;
    throw new QueryError("QUERY_BAD_PARAMETER", message, { parameter });
  }
  return query;
}

/** Filter and limits of the search. */
interface QueryBounds {
  /** Other conditions of the request. Any of them is refused, because the query replaces them. */
  readonly values: SpanFilterValues;
  /** Time range, and limits of traces and bytes. */
  readonly bounds: { readonly range: TimeRange; readonly limit: number; readonly limits: ReadLimits };
  /** Tenant and abort signal of the request. */
  readonly read: EndpointRequest["read"];
}

/**
 * Reads the traces that a query selects, complete, newest first.
 * @throws QueryError QUERY_BAD_PARAMETER, QUERY_TOO_LARGE
 */
export async function tracesOfQuery(
  service: QueryService,
  q: string,
  { values, bounds: { range, limit, limits }, read }: QueryBounds,
): Promise<PackedTrace[]> {
  const query = parseSpanQuery(q, values);
  const found = await service.search.search({ query, range, limit, spansPerSpanset: 1 }, read);
  const traces = await service.traces.getPackedTraces(
    found.traces.map(({ traceId }) => traceId),
    read,
  );
  checkSpans(traces, limits);
  return traces;
}
