import { protobufMessage, protobufObject } from "../corpus/protobuf-message.ts";
import type { Answers } from "./answers.ts";
import { askHttp } from "./ask-http.ts";
import { grpcRequest } from "./grpc-request.ts";
import { samplingQuestions } from "./questions.ts";
import type { TracingBackend } from "./tracing-backend.ts";

/**
 * Asks for the sampling strategies of clients: from the collector over HTTP and gRPC, and from the agent in both of its
 * forms.
 */
export async function askSampling({ addresses, grpcPath }: TracingBackend): Promise<Answers> {
  const { agentHttp, collectorHttp, collectorGrpc } = addresses;
  const answers: Record<string, unknown> = {};
  for (const { question, service, query } of samplingQuestions) {
    for (const [at, door, path] of [
      ["collector", collectorHttp, "/api/sampling"],
      ["agent", agentHttp, "/sampling"],
      ["agent", agentHttp, "/"],
    ] as const) {
      answers[`${at} GET ${path}${query} (${question})`] = await askHttp(door, `${path}${query}`);
    }
    if (service === undefined) {
      continue;
    }
    const { code, details, messages } = await grpcRequest(
      collectorGrpc,
      grpcPath("/tracing.api_v2.SamplingManager/GetSamplingStrategy"),
      protobufMessage("tracing.api_v2.SamplingStrategyParameters", { serviceName: service }),
    );
    answers[`GetSamplingStrategy "${service}" (${question})`] = {
      code,
      details,
      answer: messages.map((bytes) => protobufObject("tracing.api_v2.SamplingStrategyResponse", bytes)),
    };
  }
  for (const [at, door, path] of [
    ["collector", collectorHttp, "/api/baggageRestrictions?service=x"],
    ["agent", agentHttp, "/baggageRestrictions?service=x"],
    ["agent", agentHttp, "/nope"],
  ] as const) {
    answers[`${at} GET ${path}`] = await askHttp(door, path);
  }
  return answers;
}
