import protobuf from "protobufjs";
import { parseExactJson } from "../tracing-api/comparison/exact-json.ts";
import { grpcRequest } from "../tracing-api/comparison/grpc-request.ts";
import { type HttpAnswer, httpRequest } from "../tracing-api/comparison/http-request.ts";
import { protobufMessage, protobufObject } from "../tracing-api/corpus/protobuf-message.ts";
import { comparable } from "./comparable-answer.ts";
import type { Corpus } from "./corpus.ts";
import type { Question } from "./questions.ts";
import type { TempoBackend } from "./tempo-process.ts";

/** The path of a request, with times relative to a corpus. */
export function pathOf({ path, params = {} }: Question, { baseUnixNano }: Corpus): string {
  const base = Number(baseUnixNano / 1_000_000_000n);
  const shown = Object.entries(params).map(([name, value]) =>
    name === "start" || name === "end" ? [name, String(base + Number(value))] : [name, value],
  );
  return shown.length === 0 ? path : `${path}?${new URLSearchParams(shown)}`;
}

/** Milliseconds until a question fails. Long queries on a busy machine need minutes. */
const timeoutMs = 120_000;

/** A backend's answer in a form that can be compared: status, type and body. */
export async function askQuestion(
  { tempo, grpc }: TempoBackend,
  question: Question,
  corpus: Corpus,
): Promise<unknown> {
  if (question.message !== undefined) {
    return await callMethod(grpc, question, corpus);
  }
  const { host, pathname } = new URL(tempo);
  const prefix = pathname === "/" ? "" : pathname;
  const headers = question.accept === undefined ? {} : { accept: question.accept };
  const answer = await httpRequest(host, `${prefix}${pathOf(question, corpus)}`, { headers, timeoutMs });
  const { status, contentType } = answer;
  return { status, type: contentType.split(";")[0], body: comparable(bodyOf(answer, question), corpus) };
}

const messageTypes: Readonly<Record<string, readonly [request: string, response: string]>> = {
  Search: ["SearchRequest", "SearchResponse"],
  SearchTags: ["SearchTagsRequest", "SearchTagsResponse"],
  SearchTagsV2: ["SearchTagsRequest", "SearchTagsV2Response"],
  SearchTagValues: ["SearchTagValuesRequest", "SearchTagValuesResponse"],
  SearchTagValuesV2: ["SearchTagValuesRequest", "SearchTagValuesV2Response"],
  MetricsQueryRange: ["QueryRangeRequest", "QueryRangeResponse"],
  MetricsQueryInstant: ["QueryInstantRequest", "QueryInstantResponse"],
};

/** Calls a method of `tempopb.StreamingQuerier`, and merges its messages as Grafana does. */
async function callMethod(address: string, question: Question, corpus: Corpus): Promise<unknown> {
  const { path, params = {}, message = {} } = question;
  const method = path.split("/").at(-1) ?? "";
  const [requestType = "", responseType = ""] = messageTypes[method] ?? [];
  const unit = method.startsWith("Metrics") ? 1n : 1_000_000_000n;
  const times = Object.entries(params).map(([name, seconds]) => [
    name,
    String((corpus.baseUnixNano + BigInt(seconds) * 1_000_000_000n) / unit),
  ]);
  const request = protobufMessage(`tempopb.${requestType}`, { ...message, ...Object.fromEntries(times) });
  const { code, details, messages } = await grpcRequest(address, path, request);
  const parts = messages.map((bytes) => comparable(protobufObject(`tempopb.${responseType}`, bytes), corpus));
  return { status: code, details, body: comparable(together(parts), corpus) };
}

/** Merges messages: later messages contain only new or changed elements. */
function together(parts: readonly unknown[]): unknown {
  const found: Record<string, Map<string, unknown>> = {};
  for (const [list, elements] of parts.flatMap((part) => Object.entries(part as object))) {
    if (!Array.isArray(elements)) {
      continue;
    }
    const known = found[list] ?? new Map<string, unknown>();
    found[list] = known;
    for (const element of elements) {
      const { traceId, key, name } = element as Record<string, unknown>;
      known.set(JSON.stringify(traceId ?? key ?? name ?? element), element);
    }
  }
  return Object.fromEntries(Object.entries(found).map(([list, elements]) => [list, [...elements.values()]]));
}

function bodyOf({ status, contentType, body }: HttpAnswer, { path }: Question): unknown {
  if (status !== 200) {
    return body.toString().trim();
  }
  if (contentType.startsWith("application/json")) {
    return parseExactJson(body.toString());
  }
  if (contentType !== "application/protobuf") {
    return body.toString().trim();
  }
  const type = "opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest";
  return protobufObject(type, path.startsWith("/api/v2/") ? firstField(body) : body);
}

/** Cuts the trace out of a `TraceByIDResponse`. */
function firstField(body: Uint8Array): Uint8Array {
  const reader = protobuf.Reader.create(body);
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === 0x0a) {
      return reader.bytes();
    }
    reader.skipType(tag & 7);
  }
  return new Uint8Array();
}
