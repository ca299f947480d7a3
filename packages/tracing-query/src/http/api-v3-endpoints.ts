import type { PartialAnswer, TraceQuery } from "storage/api";
import { parseTraceId } from "wire/api-v2";
import { type SpanKind, spanKinds } from "wire/model";
import { parseDurationNano } from "../go-text/go-duration.ts";
import { parseInteger } from "../go-text/parse-number.ts";
import { goJson } from "../go-text/quote.ts";
import { parseTimeNano } from "../go-text/rfc3339.ts";
import { QueryError } from "../query-error.ts";
import type { AdjustOptions } from "../service/adjusters/adjust-trace.ts";
import { noFilters } from "../service/no-filters.ts";
import type { QueryService } from "../service/query-service.ts";
import { checkLimits, checkSpans, defaultSearchLimit, type ReadLimits } from "../service/read-limits.ts";
import { summarizeTraces, type TraceSummary } from "../service/trace-summary.ts";
import type { AnswerStyle, Endpoint, EndpointDefinition } from "./endpoint.ts";
import { otlpTracesJson } from "./otlp-traces-json.ts";
import { parseTagsJson } from "./search-params.ts";

/**
 * gRPC-Gateway's form of answers and failures. Jaeger sends JSON with the media type of text.
 *
 * ```
 * {"error":{"httpCode":404,"message":"trace not found"}}
 * ```
 */
const gatewayStyle: AnswerStyle = {
  contentType: "text/plain; charset=utf-8",
  failure: (httpCode, message, failure) =>
    `${goJson({ error: { httpCode, message }, ...partialValue({ reasons: { partial: failure?.partial } }) })}\n`,
};

/** Fields that mark a partial answer; Jaeger has none. */
function partialValue({
  reasons: { partial },
}: {
  readonly reasons: { readonly partial: PartialAnswer | undefined };
}) {
  return partial === undefined ? {} : { partial: true, warnings: partial.reasons };
}

/** True for a span kind in lower case. An unknown kind finds nothing, but is not an error. */
function isSpanKind(text: string): text is SpanKind {
  return (spanKinds as readonly string[]).includes(text);
}

/** Runs a parser and adds the parameter's name to its error. */
function parsed<T>(name: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new QueryError("QUERY_BAD_PARAMETER", `malformed parameter ${name}: ${reason}`, { cause: error });
  }
}

/** A parameter, and the name that the client used: older clients write `start_time` for `startTime`. */
function param(params: URLSearchParams, name: string): { readonly name: string; readonly text: string } {
  const older = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const text = params.get(name) || "";
  return text === "" ? { name: older, text: params.get(older) ?? "" } : { name, text };
}

/**
 * Maximum number of traces to find: `query.searchDepth`, else the older `query.numTraces`. Default 100, also for zero
 * or a negative number.
 */
function limitOf(params: URLSearchParams): number {
  const depth = param(params, "query.searchDepth");
  const { name, text } = depth.text === "" ? param(params, "query.numTraces") : depth;
  const limit = text === "" ? 0 : Number(parsed(name, () => parseInteger(text, 64, "strconv.Atoi")));
  return limit > 0 ? Math.min(limit, Number.MAX_SAFE_INTEGER) : defaultSearchLimit;
}

/** A duration as Go writes it, such as "200ms"; 0 when absent. */
function durationOf(params: URLSearchParams, canonical: string): bigint {
  const { name, text } = param(params, canonical);
  return text === "" ? 0n : parsed(name, () => parseDurationNano(text));
}

/**
 * Reads the search from a request's parameters.
 *
 * ```
 * ?query.serviceName=shop&query.startTimeMin=2020-01-01T00:00:00Z&query.startTimeMax=2100-01-01T00:00:00Z
 *     &query.attributes={"region":"west"}&query.searchDepth=5
 * ```
 *
 * @throws QueryError QUERY_BAD_PARAMETER for a missing time, for a malformed value, and for `query.filter`
 */
function queryOf(params: URLSearchParams): TraceQuery {
  const attributes = params.get("query.attributes") ?? "";
  const tags = attributes === "" ? [] : parseTagsJson(attributes, "parameter query.attributes");
  if ((params.get("query.filter") ?? "") !== "") {
    // Ignoring a condition would return traces that do not match.
    throw new QueryError("QUERY_BAD_PARAMETER", noFilters("query.filter"));
  }
  const start = param(params, "query.startTimeMin");
  const end = param(params, "query.startTimeMax");
  if (start.text === "" || end.text === "") {
    throw new QueryError("QUERY_BAD_PARAMETER", `${start.name} and ${end.name} are required`);
  }
  const startTimeMinUnixNano = parsed(start.name, () => parseTimeNano(start.text));
  const startTimeMaxUnixNano = parsed(end.name, () => parseTimeNano(end.text));
  const limit = limitOf(params);
  return {
    service: param(params, "query.serviceName").text,
    operation: param(params, "query.operationName").text,
    tags: new Map(tags),
    startTimeMinUnixNano,
    startTimeMaxUnixNano,
    durationMinNano: durationOf(params, "query.durationMin"),
    durationMaxNano: durationOf(params, "query.durationMax"),
    limit,
  };
}

/** The id in hex, or in base64 as `jsonpb` writes bytes. @throws WireError of `parseTraceId` for the text as hex */
function traceIdOf(text: string): string {
  try {
    return parseTraceId(text);
  } catch (error) {
    const bytes = /^[\w+/-]{11,22}={0,2}$/.test(text) ? Buffer.from(text, "base64") : undefined;
    if (bytes?.length !== 8 && bytes?.length !== 16) {
      throw error;
    }
    return parseTraceId(bytes.toString("hex"));
  }
}

/** A summary in Jaeger's JSON form, without zeros and empty texts. */
function summaryJson(summary: TraceSummary): unknown {
  const { traceId, rootServiceName, rootOperationName, services } = summary;
  return {
    traceId,
    rootServiceName: rootServiceName || undefined,
    rootOperationName: rootOperationName || undefined,
    minStartTimeUnixNano: String(BigInt.asUintN(64, summary.minStartTimeUnixNano)),
    maxEndTimeUnixNano: String(BigInt.asUintN(64, summary.maxEndTimeUnixNano)),
    spanCount: summary.spanCount,
    errorSpanCount: summary.errorSpanCount || undefined,
    orphanSpanCount: summary.orphanSpanCount || undefined,
    services: services.map(({ name, spanCount, errorSpanCount }) => ({
      name: name || undefined,
      spanCount,
      errorSpanCount: errorSpanCount || undefined,
    })),
  };
}

/** `GET /api/v3/operations?service=db`: `{"operations":[{"name":"SELECT","spanKind":"client"}]}`. */
function operationsEndpoint(service: QueryService): Endpoint {
  return async ({ params, read }) => {
    const kind = param(params, "spanKind").text;
    if (kind !== "" && !isSpanKind(kind)) {
      return ['{"operations":[]}']; // No span has this kind.
    }
    const found = await service.names.getOperations(
      params.get("service") ?? "",
      kind === "" ? undefined : kind,
      read,
    );
    return [
      goJson({ operations: found.map(({ name, spanKind }) => ({ name, spanKind })), ...partialValue(read) }),
    ];
  };
}

/**
 * `GET /api/v3/…`, by path, in the form of Jaeger 2: services, operations, traces as OTLP JSON without adjusters, and
 * trace summaries with adjusted times.
 *
 * ```
 * GET /api/v3/services          {"services":["db","shop"]}
 * GET /api/v3/traces/71a8…      {"result":{"resourceSpans":[{"resource":{…},"scopeSpans":[{"spans":[…]}]}]}}
 * GET /api/v3/trace-summaries?… {"summaries":[{"traceId":"71a8…","rootServiceName":"shop","spanCount":3,…}]}
 * ```
 *
 * Errors: 400 for a parameter, 404 for an unknown trace, 413 past --query.max-spans.
 */
export function apiV3Endpoints(
  service: QueryService,
  limits: ReadLimits,
  adjust: AdjustOptions,
): [path: string, definition: Pick<EndpointDefinition, "answer" | "style" | "isHeavy" | "isOfOneTrace">][] {
  // Names of all services of the tenant.
  const services: Endpoint = async ({ read }) => {
    const names = await service.names.getServices(read);
    // Jaeger omits an empty list of services.
    return [goJson({ ...(names.length === 0 ? {} : { services: names }), ...partialValue(read) })];
  };

  // One trace by its id, in hex or base64.
  const trace: Endpoint = async ({ pathPart, read }) => {
    const traceId = parsed("trace_id", () => traceIdOf(pathPart("traceId")));
    const traces = await service.traces.getPackedTraces([traceId], read);
    if (traces.length === 0) {
      throw new QueryError("QUERY_TRACE_NOT_FOUND", "trace not found");
    }
    checkSpans(traces, limits);
    return otlpTracesJson(traces, read.reasons);
  };

  // A search that returns whole traces.
  const search: Endpoint = async ({ params, read }) => {
    const query = queryOf(params);
    checkLimits(query, limits);
    const traces = await service.traces.findPackedTraces(query, read);
    checkSpans(traces, limits);
    return otlpTracesJson(traces, read.reasons);
  };

  // The same search, but the store returns outlines of spans without attributes, events or links.
  const summaries: Endpoint = async ({ params, read }) => {
    const query = queryOf(params);
    checkLimits(query, limits);
    const traces = await service.traces.findOutlines(query, read);
    checkSpans(traces, limits);
    const found = await summarizeTraces(traces, adjust);
    return [
      goJson({
        ...(found.length === 0 ? {} : { summaries: found.map(summaryJson) }),
        ...partialValue(read),
      }),
    ];
  };

  const style = gatewayStyle;
  return [
    ["/api/v3/services", { answer: services, style, isHeavy: false }],
    ["/api/v3/operations", { answer: operationsEndpoint(service), style, isHeavy: false }],
    ["/api/v3/traces", { answer: search, style, isHeavy: true }],
    [
      "/api/v3/trace-summaries",
      { answer: summaries, style: { ...style, contentType: "application/json" }, isHeavy: true },
    ],
    ["/api/v3/traces/:traceId", { answer: trace, style, isHeavy: true, isOfOneTrace: true }],
  ];
}
