import type { PackedTrace } from "storage/api";
import { z } from "zod";
import { duration, spanConditionsOf } from "../../http/analysis/span-filter.ts";
import { tracesOfQuery } from "../../http/analysis/traceql-filter.ts";
import { checkLimits, checkSpans } from "../../service/read-limits.ts";
import { summarizeTraces, type TraceSummary } from "../../service/trace-summary.ts";
import { rangeOfArguments, timeArguments, timeText } from "../time-argument.ts";
import { defineTool, type Tool, type ToolContext } from "../tool.ts";

// Names and other texts have at most 4,096 characters, as in the HTTP API.
const text = z.string().max(4_096);

/** Conditions for spans, with the names of Jaeger's tools. */
export const spanArguments = {
  ...timeArguments,
  service_name: text.optional().describe("As get_services writes it; every service when absent."),
  span_name: text.optional().describe("As get_span_names writes it."),
  attributes: z
    .record(text, text)
    .optional()
    .describe(
      'Attributes that a span, its resource or an event of it has: {"http.response.status_code": "500"}.',
    ),
  with_errors: z.boolean().default(false).describe("Only spans whose status is an error."),
  duration_min: duration.optional().describe("Shortest duration of the span, with its unit: 2s, 100ms."),
  duration_max: duration.optional().describe("Longest duration of the span."),
};

/** Parsed conditions. */
type SpanArguments = z.output<z.ZodObject<typeof spanArguments>>;

/**
 * The arguments as conditions of the HTTP API, without times.
 *
 * ```
 * {service_name: "shop", with_errors: true}  →  {service: "shop", error: true}
 * ```
 */
export function conditionsOf(args: SpanArguments) {
  return {
    ...{ service: args.service_name, operation: args.span_name, tags: args.attributes },
    ...{ minDuration: args.duration_min, maxDuration: args.duration_max },
    error: args.with_errors ? true : undefined,
  };
}

const searchArguments = {
  ...spanArguments,
  query: z
    .string()
    .max(8_192)
    .optional()
    .describe(
      'TraceQL in place of the other conditions (times apply): { resource.service.name = "shop" && status = error } >> { duration > 1s }.',
    ),
  search_depth: z.int().min(1).max(200).default(10).describe("Most traces, the newest."),
};

type SearchArguments = z.output<z.ZodObject<typeof searchArguments>>;

/**
 * `search_traces` {"service_name": "shop", "with_errors": true} → summaries of traces, newest first:
 *
 * ```
 * {"traces": [{"trace_id": "71a8…", "root_service": "shop", "root_span_name": "GET /",
 *              "start_time": "2026-11-29T15:54:49.000000Z", "duration_us": 100000, "span_count": 3,
 *              "error_span_count": 1, "service_count": 2, "services": ["db", "shop"], "has_errors": true, "link": "…"}],
 *  "more_may_match": false}
 * ```
 */
export const searchTool: Tool = defineTool({
  name: "search_traces",
  title: "Search for traces",
  description:
    "Traces with a span that meets all conditions, newest first: a summary of each (root, start, duration, numbers of spans " +
    "and errors, services), without spans. Look into one with get_trace_topology.",
  weight: "search",
  input: searchArguments,
  async answer(args, context) {
    const traces = await find(args, context);
    checkSpans(traces, context.limits);
    const summaries = await summarizeTraces(traces, context.adjust);
    return {
      fields: {
        traces: summaries.map((summary) => traceJson(summary, context)),
        // Jaeger's tool has no count of all matches either: the store stops at the limit.
        more_may_match: traces.length >= args.search_depth,
      },
      lists: ["traces"],
      rest: "narrow the conditions, or end the time at the start of the oldest trace here",
    };
  },
});

/**
 * Reads the traces, by TraceQL or by conditions. @throws QueryError QUERY_BAD_PARAMETER for both together, and
 * above the limit of --query.max-traces
 */
async function find(args: SearchArguments, context: ToolContext): Promise<PackedTrace[]> {
  const { service, limits, read } = context;
  const limit = args.search_depth;
  const range = rangeOfArguments(args, context);
  // The time range was already checked when it was parsed.
  checkLimits({ limit }, { ...limits, maxRangeNano: undefined });
  if (args.query !== undefined) {
    return await tracesOfQuery(service, args.query, {
      values: conditionsOf(args),
      bounds: { range, limit, limits },
      read,
    });
  }
  return await service.traces.findPackedTraces(
    {
      ...spanConditionsOf(conditionsOf(args)),
      ...{ startTimeMinUnixNano: range.startUnixNano, startTimeMaxUnixNano: range.endUnixNano, limit },
    },
    read,
  );
}

/** Summary of a trace, with the field names of Jaeger's tool. */
function traceJson(summary: TraceSummary, { link }: ToolContext) {
  const { minStartTimeUnixNano: start, maxEndTimeUnixNano: end, services } = summary;
  return {
    trace_id: summary.traceId,
    root_service: summary.rootServiceName,
    root_span_name: summary.rootOperationName,
    start_time: timeText(start),
    duration_us: Number((end - start) / 1_000n),
    span_count: summary.spanCount,
    error_span_count: summary.errorSpanCount,
    ...(summary.orphanSpanCount === 0 ? {} : { orphan_span_count: summary.orphanSpanCount }),
    service_count: services.length,
    services: services.map(({ name }) => name),
    has_errors: summary.errorSpanCount > 0,
    link: link(`/trace/${summary.traceId}`),
  };
}
