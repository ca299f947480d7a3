import type { PackedTrace } from "storage/api";
import { parseInteger } from "../go-text/parse-number.ts";
import type { Endpoint, EndpointRequest } from "../http/endpoint.ts";
import { TypedAnswer } from "../http/typed-answer.ts";
import { QueryError } from "../query-error.ts";
import type { QueryService } from "../service/query-service.ts";
import { checkSpans, type ReadLimits } from "../service/read-limits.ts";
import { withParameter } from "./time-params.ts";
import { resourceSpansJson, traceByIdMessage, traceMessage } from "./trace-messages.ts";

const protobuf = "application/protobuf";

/**
 * A trace's id, as long as wanted up to 32 hex digits.
 * @throws QueryError QUERY_BAD_PARAMETER in Tempo's words
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

function badId(message: string): QueryError {
  return new QueryError("QUERY_BAD_PARAMETER", message, { parameter: "traceID" });
}

/** Checked, and then of no use: a trace is found wherever it lies, and is whole. */
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

async function readTrace(
  service: QueryService,
  limits: ReadLimits,
  { params, pathPart, read }: EndpointRequest,
): Promise<PackedTrace> {
  const traceId = parseTempoTraceId(pathPart("traceId"));
  checkTimes(params);
  const [trace] = await service.getPackedTraces([traceId], read);
  if (trace === undefined) {
    throw new QueryError("QUERY_TRACE_NOT_FOUND", "trace not found");
  }
  checkSpans([trace], limits);
  return trace;
}

/** `GET /api/traces/{id}`: protobuf where `Accept` asks for it, otherwise JSON. */
export function traceEndpoint(service: QueryService, limits: ReadLimits): Endpoint {
  return async (request) => {
    const { spans } = await readTrace(service, limits, request);
    if (request.accept.includes(protobuf)) {
      return new TypedAnswer(protobuf, await traceMessage(spans));
    }
    // The name of the list from before it was OTLP's.
    return enclosed('{"batches":', resourceSpansJson(spans), "}");
  };
}

/** `GET /api/v2/traces/{id}`: the same with a status. */
export function traceV2Endpoint(service: QueryService, limits: ReadLimits): Endpoint {
  return async (request) => {
    const { spans } = await readTrace(service, limits, request);
    if (request.accept.includes(protobuf)) {
      return new TypedAnswer(protobuf, await traceByIdMessage(spans));
    }
    return enclosed(
      '{"trace":{"resourceSpans":',
      resourceSpansJson(spans),
      '},"metrics":{},"status":"COMPLETE"}',
    );
  };
}

function* enclosed(head: string, pieces: Iterable<string>, tail: string): Generator<string> {
  yield head;
  yield* pieces;
  yield tail;
}
