import { type handleUnaryCall, type ServiceDefinition, status } from "@grpc/grpc-js";
import { ApiV2Transcoder, type PostSpansResponse } from "wire/api-v2";
import { WireError } from "wire/errors";
import {
  addHealth,
  addReflection,
  collectorService,
  healthServiceName,
  rpcServiceName,
  withPublicNames,
} from "wire/grpc";
import type { SpanRows } from "wire/rows";
import { CollectorError } from "../errors.ts";
import { SpanIntake } from "../pipeline/span-intake.ts";
import { createGrpcServer, listenGrpc } from "./grpc-listener.ts";
import type { Receiver, ReceiverAddress, ReceiverContext } from "./receiver.ts";
import { grpcErrorOf } from "./refusal.ts";
import { maxRowsBytes } from "./request-limits.ts";

/**
 * `CollectorService.PostSpans` of `api_v2`, under both package names, with reflection and health: the agent's way in. An
 * id of a wrong length answers INTERNAL, as in the public model, too much of something INVALID_ARGUMENT, and nothing of
 * the batch is kept.
 * @throws StartError
 */
export async function openGrpcApiV2(
  address: ReceiverAddress,
  maxMessageBytes: number,
  context: ReceiverContext,
): Promise<Receiver> {
  const { log } = context;
  const intake = new SpanIntake(context, { transport: "grpc", format: "proto" });
  const transcoder = new ApiV2Transcoder({ maxRowsBytes });

  async function keep(request: Buffer): Promise<void> {
    await intake.keep(rowsOf(transcoder, request), 0, request.length);
  }

  const postSpans: handleUnaryCall<Buffer, PostSpansResponse> = (call, answer) => {
    keep(call.request).then(
      () => answer(null, {}),
      (error: unknown) => {
        if (error instanceof WireError) intake.invalid();
        else if (!(error instanceof CollectorError)) log.error({ err: error }, "error in PostSpans");
        const isTooLarge = error instanceof WireError && error.code === "WIRE_TOO_LARGE";
        answer(grpcErrorOf(error, isTooLarge ? status.INVALID_ARGUMENT : status.INTERNAL));
      },
    );
  };

  const server = createGrpcServer(maxMessageBytes, log);
  const definitions = withPublicNames(rawCollectorService);
  for (const definition of definitions) server.addService(definition, { postSpans });
  const names = definitions.map(rpcServiceName);
  addReflection(server, [...names, healthServiceName]);
  const health = addHealth(server, names);
  return await listenGrpc(server, address, () => health.shutdown());
}

/** The request stays bytes, so that one which does not parse is ours to count and to refuse. */
const rawCollectorService: ServiceDefinition<{ postSpans: handleUnaryCall<Buffer, PostSpansResponse> }> = {
  postSpans: { ...collectorService.postSpans, requestDeserialize: (bytes: Buffer) => bytes },
};

function rowsOf(transcoder: ApiV2Transcoder, request: Buffer): SpanRows {
  try {
    return transcoder.transcode(request).rows;
  } catch (cause) {
    if (
      !(cause instanceof WireError) ||
      (cause.code !== "WIRE_TRUNCATED" && cause.code !== "WIRE_MALFORMED")
    ) {
      throw cause;
    }
    throw new WireError(
      cause.code,
      `message of ${request.length} bytes is no PostSpansRequest: ${cause.message}`,
      { cause },
    );
  }
}
