import { queryOptions } from "@tanstack/react-query";
import { summariseTrace, type TraceSummary } from "../trace/summarise-trace.ts";
import type { ApiTrace } from "../trace/trace-schema.ts";
import { type AskedRange, timesOf } from "./analysis.ts";
import { ApiError } from "./api-error.ts";
import { openedTrace } from "./opened-traces.ts";
import { readJson } from "./read-json.ts";
import { checkTraceId } from "./trace-id.ts";
import { traceList } from "./trace-list.ts";

/** A search in the form of the query service. */
export interface TraceSearch {
  /** The service of at least one span of the trace. */
  service: string;
  /** Name of the operation; absent for any. */
  operation?: string | undefined;
  /** Attributes that one span must have together. */
  tags?: Readonly<Record<string, string>> | undefined;
  /** Minimum duration in Go's form: `1.5s`. */
  minDuration?: string | undefined;
  /** Maximum duration in Go's form. */
  maxDuration?: string | undefined;
  /** Maximum number of traces that the answer may contain. */
  limit: number;
  /** Time range in which the traces start. */
  range: AskedRange;
}

/** Summaries of the traces that a search finds, in the service's order. Without a search no request is sent. */
export function searchQuery(search: TraceSearch | undefined) {
  return queryOptions({
    queryKey: ["search", search],
    queryFn: async ({ signal }): Promise<readonly TraceSummary[]> => {
      if (search === undefined) {
        return [];
      }
      const { data } = await readJson(
        `api/traces?${searchParameters(search, Date.now())}`,
        traceList,
        signal,
      );
      return (data ?? []).map(summariseTrace);
    },
    enabled: search !== undefined,
    // A search runs when the user starts it; returning from a trace shows the same list again.
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Summaries of traces by id; unknown traces are omitted. Without ids no request is sent. */
export function tracesByIdQuery(traceIds: readonly string[] | undefined) {
  return queryOptions({
    queryKey: ["traces-by-id", traceIds],
    queryFn: async ({ signal }): Promise<readonly TraceSummary[]> => {
      for (const id of traceIds ?? []) {
        checkTraceId(id);
      }
      const parameters = new URLSearchParams((traceIds ?? []).map((id) => ["traceID", id]));
      const { data } = await readJson(`api/traces?${parameters}`, traceList, signal);
      return (data ?? []).map(summariseTrace);
    },
    enabled: traceIds !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/**
 * The parameters of a search, with the names of Jaeger's API. A lookback becomes `start` and `end`, in
 * microseconds.
 * @param nowMs time of the request, in milliseconds since 1970
 */
export function searchParameters(search: TraceSearch, nowMs: number): URLSearchParams {
  const parameters = new URLSearchParams({ service: search.service });
  if (search.operation) {
    parameters.set("operation", search.operation);
  }
  if (search.tags && Object.keys(search.tags).length > 0) {
    parameters.set("tags", JSON.stringify(search.tags));
  }
  if (search.minDuration) {
    parameters.set("minDuration", search.minDuration);
  }
  if (search.maxDuration) {
    parameters.set("maxDuration", search.maxDuration);
  }
  parameters.set("limit", String(search.limit));
  const { startUs, endUs } = timesOf(search.range, nowMs);
  parameters.set("start", String(startUs));
  parameters.set("end", String(endUs));
  return parameters;
}

/**
 * One trace with all its spans.
 * @throws ApiError API_NOT_FOUND, also for an answer without a trace
 */
export function traceQuery(traceId: string) {
  return queryOptions({
    queryKey: ["trace", traceId],
    queryFn: async ({ signal }): Promise<ApiTrace> => {
      const fromFile = openedTrace(traceId);
      if (fromFile !== undefined) {
        return fromFile;
      }
      checkTraceId(traceId);
      const { data } = await readJson(`api/traces/${encodeURIComponent(traceId)}`, traceList, signal);
      const trace = data?.[0];
      if (trace === undefined) {
        throw new ApiError("API_NOT_FOUND", "trace not found");
      }
      return trace;
    },
    staleTime: Number.POSITIVE_INFINITY,
    // Traces can be large, so they leave the cache early.
    gcTime: 60_000,
  });
}
