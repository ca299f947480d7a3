import { type handleUnaryCall, type ServiceDefinition, status } from "@grpc/grpc-js";
import { ApiV2Transcoder, type PostSpansResponse } from "wire/api-v2";
import { WireError } from "wire/errors";
import {
  addHealth,
  addReflection,
  collectorService,
  healthServiceName,
  rpcServiceName,
  samplingService,
  withPublicNames,
} from "wire/grpc";
import type { MessageTranscoder } from "wire/rows";
import { SpanIntake } from "../pipeline/span-intake.ts";
import { samplingHandlers } from "../sampling/sampling-grpc.ts";
import { createGrpcServer, type GrpcSettings, grpcStallMs, listenGrpc } from "./grpc-listener.ts";
import { GrpcSpans } from "./grpc-spans.ts";
import type { Receiver, ReceiverAddress, ReceiverContext } from "./receiver.ts";
import { maxRowsBytes } from "./request-limits.ts";

/**
 * `CollectorService.PostSpans` and `SamplingManager` of `api_v2`, under both package names, with reflection and health:
 * the agent's way in. An id of a wrong length answers INTERNAL, as in the public model, too much of something
 * INVALID_ARGUMENT, and nothing of the batch is kept. With tenancy a batch must name its tenant; who asks for a strategy
 * need not.
 * @throws StartError
 */
export async function openGrpcApiV2(
  address: ReceiverAddress,
  settings: GrpcSettings,
  context: ReceiverContext,
): Promise<Receiver> {
  const intake = new SpanIntake(context, { transport: "grpc", format: "proto" });
  const spans = new GrpcSpans(intake, postSpansTranscoder(), context, ({ code }) =>
    code === "WIRE_TOO_LARGE" ? status.INVALID_ARGUMENT : status.INTERNAL,
  );
  const postSpans: handleUnaryCall<Buffer, PostSpansResponse> = (call, answer) =>
    spans.receive(call, answer, () => ({}));

  const server = createGrpcServer(
    settings,
    { bytes: context.unfinished, stallMs: grpcStallMs },
    context.log,
    () => intake.invalid(),
  );
  const collector = withPublicNames(rawCollectorService);
  for (const definition of collector) server.addService(definition, { postSpans });
  const sampling = withPublicNames(samplingService);
  for (const definition of sampling) server.addService(definition, samplingHandlers(context.sampling));
  const names = [...collector, ...sampling].map(rpcServiceName);
  addReflection(server, [...names, healthServiceName]);
  const health = addHealth(server, names);
  return await listenGrpc(server, address, () => health.shutdown());
}

/** The request stays bytes, so that one which does not parse is ours to count and to refuse. */
const rawCollectorService: ServiceDefinition<{ postSpans: handleUnaryCall<Buffer, PostSpansResponse> }> = {
  postSpans: { ...collectorService.postSpans, requestDeserialize: (bytes: Buffer) => bytes },
};

/** Names the message in the error for bytes that are none. */
function postSpansTranscoder(): MessageTranscoder {
  const transcoder = new ApiV2Transcoder({ maxRowsBytes });
  return {
    transcode(message, tenant) {
      try {
        return transcoder.transcode(message, tenant);
      } catch (cause) {
        if (
          !(cause instanceof WireError) ||
          (cause.code !== "WIRE_TRUNCATED" && cause.code !== "WIRE_MALFORMED")
        ) {
          throw cause;
        }
        throw new WireError(
          cause.code,
          `message of ${message.length} bytes is no PostSpansRequest: ${cause.message}`,
          { cause },
        );
      }
    },
  };
}
