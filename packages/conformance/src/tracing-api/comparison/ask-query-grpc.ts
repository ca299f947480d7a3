import { protobufMessage, protobufObject } from "../corpus/protobuf-message.ts";
import type { Answers } from "./answers.ts";
import { comparableSpans, inOrder } from "./comparable-trace.ts";
import { grpcRequest } from "./grpc-request.ts";
import { grpcSearches } from "./questions.ts";
import type { TracingBackend } from "./tracing-backend.ts";

type Message = Readonly<Record<string, unknown>>;

const spansOf = (chunks: readonly Message[]) =>
  chunks.flatMap(({ spans }) => (Array.isArray(spans) ? (spans as Message[]) : []));

async function ask(
  { addresses, grpcPath }: TracingBackend,
  method: "GetTrace" | "FindTraces" | "GetServices" | "GetOperations",
  request: object,
  shape: (messages: readonly Message[]) => unknown,
): Promise<unknown> {
  const { code, details, messages } = await grpcRequest(
    addresses.queryGrpc,
    grpcPath(`/tracing.api_v2.QueryService/${method}`),
    protobufMessage(`tracing.api_v2.${method}Request`, request),
  );
  if (code !== "OK") {
    return { code, details };
  }
  const response =
    method.startsWith("Get") && method !== "GetTrace" ? `${method}Response` : "SpansResponseChunk";
  return {
    code,
    answer: shape(messages.map((bytes) => protobufObject(`tracing.api_v2.${response}`, bytes))),
  };
}

/** Asks for a trace: its spans, and the number of spans in each message. */
export function askTraceOverGrpc(backend: TracingBackend, traceId: string): Promise<unknown> {
  return ask(backend, "GetTrace", { traceId: traceId.padStart(32, "0") }, (chunks) => ({
    chunks: chunks.map((chunk) => spansOf([chunk]).length),
    spans: comparableSpans(spansOf(chunks)),
  }));
}

/** Sends all other questions to the gRPC API. Names and traces are sorted, because their order is undefined. */
export async function askQueryGrpc(backend: TracingBackend, services: readonly string[]): Promise<Answers> {
  const answers: Record<string, unknown> = {};
  answers.GetServices = await ask(backend, "GetServices", {}, ([response]) => inOrder(response?.services));
  for (const service of [...services.slice(0, 8), "nobody"]) {
    answers[`GetOperations of ${service}`] = await ask(backend, "GetOperations", { service }, ([response]) =>
      Object.fromEntries(Object.entries(response ?? {}).map(([key, value]) => [key, inOrder(value)])),
    );
  }
  for (const query of grpcSearches(services)) {
    answers[`FindTraces ${JSON.stringify(query)}`] = await ask(backend, "FindTraces", { query }, (chunks) =>
      inOrder([...new Set(spansOf(chunks).map(({ traceId }) => traceId))]),
    );
  }
  answers["GetTrace of nothing"] = await ask(backend, "GetTrace", {}, spansOf);
  answers["GetTrace of an unknown id"] = await askTraceOverGrpc(backend, "c0de".padEnd(32, "f"));
  answers["FindTraces without a query"] = await ask(backend, "FindTraces", {}, spansOf);
  return answers;
}
