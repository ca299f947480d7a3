import type { SpanList } from "storage/api";
import { parseInteger } from "../go-text/parse-number.ts";
import type { Endpoint, EndpointRequest } from "../http/endpoint.ts";
import { TypedAnswer } from "../http/send-pieces.ts";
import { QueryError } from "../query-error.ts";
import { type BegunTrace, beginTrace } from "../service/begun-trace.ts";
import type { QueryService } from "../service/query-service.ts";
import type { ReadLimits } from "../service/read-limits.ts";
import { partialStatus } from "./search-json.ts";
import { withParameter } from "./time-params.ts";
import { resourceSpansJson, traceByIdMessage, traceMessage } from "./trace-messages.ts";

// The media type with which Grafana requests protobuf, which is smaller than JSON.
const protobuf = "application/protobuf";

/**
 * A trace id of up to 32 hex digits.
 * @throws QueryError QUERY_BAD_PARAMETER with Tempo's text
 */
export function parseTempoTraceId(text: string): string {
  const at = [...text].findIndex((character) => !/^[0-9a-fA-F]$/.test(character));
  if (at !== -1) {
    throw badId(
      `trace IDs can only contain hex characters: invalid character '${[...text][at]}' at position ${at + 1}`,
    );
  }
  if (text.length > 32) {
    throw badId("trace IDs can't be larger than 128 bits");
  }
  return text.toLowerCase().padStart(32, "0");
}

/** The error for a wrong id, with Tempo's name of the parameter. */
function badId(message: string): QueryError {
  return new QueryError("QUERY_BAD_PARAMETER", message, { parameter: "traceID" });
}

/** Checks the times, but does not use them: a trace is found at any time, and returned whole. */
function checkTimes(params: URLSearchParams): void {
  const [start, end] = ["start", "end"].map((name) => {
    const text = params.get(name) ?? "";
    return text === "" ? undefined : withParameter(name, `invalid ${name}: `, () => parseInteger(text, 64));
  });
  if (start !== undefined && end !== undefined && end <= start) {
    throw new QueryError(
      "QUERY_BAD_PARAMETER",
      `http parameter start must be before end. received start=${start} end=${end}`,
      { parameter: "start" },
    );
  }
}

/** Checks the request, and begins to read the requested trace. */
async function beginAsked(
  service: QueryService,
  limits: ReadLimits,
  { params, pathPart, read }: EndpointRequest,
): Promise<BegunTrace> {
  const traceId = parseTempoTraceId(pathPart("traceId"));
  checkTimes(params);
  return await beginTrace(service, traceId, limits, read);
}

/**
 * `GET /tempo/api/traces/{id}`: protobuf when `Accept` requests it, otherwise JSON.
 *
 * ```
 * GET /tempo/api/traces/71a81d73ce7902db83be4d12250bd874
 * {"batches":[{"resource":{…},"scopeSpans":[{"scope":{},"spans":[{"traceId":"cagdc855AtuDvk0SJQvYdA==",…}]}]}]}
 * ```
 *
 * Errors: 400 for an id with other characters, 404 `trace not found`, 413 above --query.max-spans.
 */
export function traceEndpoint(service: QueryService, limits: ReadLimits): Endpoint {
  return async (request) => {
    const begun = await beginAsked(service, limits, request);
    return request.accept.includes(protobuf)
      ? new TypedAnswer(protobuf, messageOf(begun, traceMessage))
      : // Tempo's name of the list from before OTLP named it.
        enclosed('{"batches":', begun, () => "}");
  };
}

/** A trace without spans. */
const noTrace: BegunTrace = {
  isLarge: false,
  trace: Promise.resolve({ traceId: "", spans: [] }),
};

/**
 * `GET /api/v2/traces/{id}`: the trace with a status. A missing trace gives an empty trace, not an error.
 * Newer versions of Grafana send this request first, and fall back to version 1 when the server does not know it.
 */
export function traceV2Endpoint(service: QueryService, limits: ReadLimits): Endpoint {
  return async (request) => {
    const { reasons } = request.read;
    const begun = await beginAsked(service, limits, request).catch((error: unknown) => {
      if (error instanceof QueryError && error.code === "QUERY_TRACE_NOT_FOUND") {
        return noTrace;
      }
      throw error;
    });
    return request.accept.includes(protobuf)
      ? new TypedAnswer(
          protobuf,
          messageOf(begun, (spans) => traceByIdMessage(spans, reasons)),
        )
      : enclosed('{"trace":{"resourceSpans":', begun, () => {
          const status = { status: "COMPLETE", ...partialStatus(reasons.partial) };
          return `},${JSON.stringify({ metrics: {}, ...status }).slice(1)}`;
        });
  };
}

/** The trace as one protobuf message, written in pieces. */
async function* messageOf(
  { trace }: BegunTrace,
  write: (spans: SpanList) => AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* write((await trace).spans);
}

/** @param tail evaluated after the spans, because only their read shows whether spans are missing */
async function* enclosed(
  head: string,
  { isLarge, trace }: BegunTrace,
  tail: () => string,
): AsyncGenerator<string> {
  yield head;
  // Sends the beginning while spans are still read.
  if (isLarge) {
    yield "";
  }
  yield* resourceSpansJson((await trace).spans);
  yield tail();
}
