import { status } from "@grpc/grpc-js";
import { WireError } from "wire/errors";
import { type ExportOutcome, OtlpTranscoder, type TraceServiceHandlers, traceService } from "wire/otlp";
import { CollectorError } from "../errors.ts";
import { SpanIntake } from "../pipeline/span-intake.ts";
import { createGrpcServer, listenGrpc } from "./grpc-listener.ts";
import type { Receiver, ReceiverAddress, ReceiverContext } from "./receiver.ts";
import { grpcErrorOf } from "./refusal.ts";
import { maxRowsBytes } from "./request-limits.ts";

/**
 * OTLP over gRPC: `opentelemetry.proto.collector.trace.v1.TraceService`. The hot way: a message goes from bytes to rows
 * in one pass.
 *
 * Bytes that cannot be read answer INVALID_ARGUMENT, which senders do not repeat; a refusal RESOURCE_EXHAUSTED or
 * UNAVAILABLE with `RetryInfo`. There is no reflection here, as in the public model.
 * Source: OpenTelemetry protocol specification, "OTLP/gRPC"
 * @throws StartError
 */
export async function openOtlpGrpc(
  address: ReceiverAddress,
  maxMessageBytes: number,
  context: ReceiverContext,
): Promise<Receiver> {
  const { log } = context;
  const intake = new SpanIntake(context, { transport: "grpc", format: "otlp" });
  const transcoder = new OtlpTranscoder({ maxRowsBytes });

  async function keep(request: Buffer): Promise<ExportOutcome> {
    const { rows, rejectedSpans, errorMessage } = transcoder.transcode(request);
    await intake.keep(rows, rejectedSpans, request.length);
    return { rejectedSpans, errorMessage };
  }

  const handlers: TraceServiceHandlers = {
    export: (call, answer) => {
      keep(call.request).then(
        (outcome) => answer(null, outcome),
        (error: unknown) => {
          if (error instanceof WireError) intake.invalid();
          else if (!(error instanceof CollectorError)) log.error({ err: error }, "error in an OTLP call");
          answer(grpcErrorOf(error, status.INVALID_ARGUMENT));
        },
      );
    },
  };

  const server = createGrpcServer(maxMessageBytes, log);
  server.addService(traceService, { ...handlers });
  return await listenGrpc(server, address);
}
