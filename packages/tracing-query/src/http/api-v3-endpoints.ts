import type { PartialAnswer, TraceQuery } from "storage/api";
import { parseTraceId } from "wire/api-v2";
import { type SpanKind, spanKinds } from "wire/model";
import { parseDurationNano } from "../go-text/go-duration.ts";
import { goJson } from "../go-text/go-json.ts";
import { parseInteger } from "../go-text/parse-number.ts";
import { parseTimeNano } from "../go-text/rfc3339.ts";
import { QueryError } from "../query-error.ts";
import { defaultSearchLimit, type QueryService } from "../service/query-service.ts";
import { checkLimits, checkSpans, type ReadLimits } from "../service/read-limits.ts";
import type { AnswerStyle, Endpoint, EndpointDefinition } from "./endpoint.ts";
import { otlpTracesJson } from "./otlp-traces-json.ts";

/** The public model sends JSON with the media type of text here. */
const gatewayStyle: AnswerStyle = {
  contentType: "text/plain; charset=utf-8",
  failure: (httpCode, message, failure) =>
    `${goJson({ error: { httpCode, message }, ...partialValue({ reasons: { partial: failure?.partial } }) })}\n`,
};

/** Fields that mark a partial answer; the public model has none. */
function partialValue({
  reasons: { partial },
}: {
  readonly reasons: { readonly partial: PartialAnswer | undefined };
}) {
  return partial === undefined ? {} : { partial: true, warnings: partial.reasons };
}

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

function queryOf(params: URLSearchParams): TraceQuery {
  const [startName, endName] = ["query.start_time_min", "query.start_time_max"];
  const start = params.get(startName) ?? "";
  const end = params.get(endName) ?? "";
  if (start === "" || end === "") {
    throw new QueryError("QUERY_BAD_PARAMETER", `${startName} and ${endName} are required`);
  }
  const startTimeMinUnixNano = parsed(startName, () => parseTimeNano(start));
  const startTimeMaxUnixNano = parsed(endName, () => parseTimeNano(end));
  const count = params.get("query.num_traces") ?? "";
  const limit =
    count === "" ? 0 : Number(parsed("query.num_traces", () => parseInteger(count, 64, "strconv.Atoi")));
  const durationOf = (name: string) => {
    const text = params.get(name) ?? "";
    return text === "" ? 0n : parsed(name, () => parseDurationNano(text));
  };
  return {
    service: params.get("query.service_name") ?? "",
    operation: params.get("query.operation_name") ?? "",
    startTimeMinUnixNano,
    startTimeMaxUnixNano,
    durationMinNano: durationOf("query.duration_min"),
    durationMaxNano: durationOf("query.duration_max"),
    limit: limit > 0 ? Math.min(limit, Number.MAX_SAFE_INTEGER) : defaultSearchLimit,
  };
}

/** `GET /api/v3/…`, by path: services, operations, and traces as OTLP JSON without adjusters. */
export function apiV3Endpoints(
  service: QueryService,
  limits: ReadLimits,
): [path: string, definition: Pick<EndpointDefinition, "answer" | "style" | "isHeavy" | "isOfOneTrace">][] {
  const services: Endpoint = async ({ read }) => {
    const names = await service.names.getServices(read);
    // The public model leaves out an empty list of services, and no other empty list.
    return [goJson({ ...(names.length === 0 ? {} : { services: names }), ...partialValue(read) })];
  };

  const operations: Endpoint = async ({ params, read }) => {
    const kind = params.get("span_kind") ?? "";
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

  const trace: Endpoint = async ({ pathPart, read }) => {
    const traceId = parsed("trace_id", () => parseTraceId(pathPart("traceId")));
    const traces = await service.getPackedTraces([traceId], read);
    if (traces.length === 0) {
      throw new QueryError("QUERY_TRACE_NOT_FOUND", "trace not found");
    }
    checkSpans(traces, limits);
    return otlpTracesJson(traces, read.reasons);
  };

  const search: Endpoint = async ({ params, read }) => {
    const query = queryOf(params);
    checkLimits(query, limits);
    const traces = await service.findPackedTraces(query, read);
    checkSpans(traces, limits);
    return otlpTracesJson(traces, read.reasons);
  };

  const style = gatewayStyle;
  return [
    ["/api/v3/services", { answer: services, style, isHeavy: false }],
    ["/api/v3/operations", { answer: operations, style, isHeavy: false }],
    ["/api/v3/traces", { answer: search, style, isHeavy: true }],
    ["/api/v3/traces/:traceId", { answer: trace, style, isHeavy: true, isOfOneTrace: true }],
  ];
}
