import { OtlpJsonTranscoder } from "wire/otlp";
import { readSpanRows } from "wire/rows";
import { QueryError } from "../query-error.ts";
import { type ApiTrace, toApiTrace } from "../service/api-trace.ts";
import type { Endpoint } from "./endpoint.ts";
import { envelope } from "./envelope.ts";
import { tracesJson } from "./trace-json.ts";

const formatTag = "internal.span.format";

function unreadable(reason: string, cause?: unknown): QueryError {
  return new QueryError("QUERY_UNREADABLE", `cannot unmarshal OTLP : ${reason}`, { cause });
}

function tracesOf(body: Buffer): ApiTrace[] {
  try {
    const { rows, rejectedSpans, errorMessage } = new OtlpJsonTranscoder().transcode(body);
    if (rejectedSpans > 0) {
      throw new Error(errorMessage);
    }
    const byTrace = Map.groupBy(readSpanRows(rows.bytes), ({ traceId }) => traceId);
    return Array.from(byTrace, ([traceId, spans]) => toApiTrace({ traceId, spans }));
  } catch (error) {
    throw unreadable(error instanceof Error ? error.message : String(error), error);
  }
}

/** Spans that are only looked at came in no format. */
function withoutFormat(trace: ApiTrace): ApiTrace {
  for (const span of trace.spans) {
    span.tags = span.tags.filter(({ key }) => key !== formatTag);
  }
  return trace;
}

/** `POST /api/transform`: OTLP JSON as the UI's JSON, traces in order of their first span; nothing is stored. */
export const transformEndpoint: Endpoint = async ({ body }) =>
  envelope(tracesJson(tracesOf(await body()).map(withoutFormat)));
