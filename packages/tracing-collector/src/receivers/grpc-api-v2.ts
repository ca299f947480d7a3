import { type handleUnaryCall, type ServiceDefinition, status } from "@grpc/grpc-js";
import type { PostSpansResponse } from "wire/api-v2";
import { ApiV2Transcoder } from "wire/api-v2-transcoder";
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
import { createGrpcServer, type GrpcSettings, grpcStallMs, listenGrpc } from "./grpc-listener.ts";
import { GrpcSpans } from "./grpc-spans.ts";
import type { Receiver, ReceiverAddress, ReceiverContext } from "./receiver.ts";
import { maxRowsBytes } from "./request-limits.ts";
import { samplingHandlers } from "./sampling-grpc.ts";

/**
 * `CollectorService.PostSpans` and `SamplingManager` of `api_v2`, under both package names, with reflection and health.
 * Agents send to this receiver. An id of a wrong length gets INTERNAL, as in Jaeger, and data over a limit
 * gets INVALID_ARGUMENT. Nothing of such a batch is stored. With tenancy a batch must name its tenant; a request for a
 * strategy need not.
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
  for (const definition of collector) {
    server.addService(definition, { postSpans });
  }
  const sampling = withPublicNames(samplingService);
  for (const definition of sampling) {
    server.addService(definition, samplingHandlers(context.sampling));
  }
  const names = [...collector, ...sampling].map(rpcServiceName);
  addReflection(server, [...names, healthServiceName]);
  const health = addHealth(server, names);
  return await listenGrpc(server, address, () => health.shutdown());
}

/** The request remains bytes, so that this receiver counts and refuses invalid requests. */
const rawCollectorService: ServiceDefinition<{ postSpans: handleUnaryCall<Buffer, PostSpansResponse> }> = {
  postSpans: { ...collectorService.postSpans, requestDeserialize: (bytes: Buffer) => bytes },
};

/** A transcoder whose errors name the message type. */
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
