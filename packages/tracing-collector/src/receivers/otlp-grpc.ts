import { status } from "@grpc/grpc-js";
import { OtlpTranscoder, type TraceServiceHandlers, traceService } from "wire/otlp";
import { SpanIntake } from "../pipeline/span-intake.ts";
import { createGrpcServer, type GrpcSettings, listenGrpc } from "./grpc-listener.ts";
import { GrpcSpans } from "./grpc-spans.ts";
import type { Receiver, ReceiverAddress, ReceiverContext } from "./receiver.ts";
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
  settings: GrpcSettings,
  context: ReceiverContext,
): Promise<Receiver> {
  const intake = new SpanIntake(context, { transport: "grpc", format: "otlp" });
  const spans = new GrpcSpans(
    intake,
    new OtlpTranscoder({ maxRowsBytes }),
    context,
    () => status.INVALID_ARGUMENT,
  );
  const handlers: TraceServiceHandlers = {
    export: (call, answer) =>
      spans.receive(call, answer, ({ rejectedSpans, errorMessage }) => ({ rejectedSpans, errorMessage })),
  };
  const server = createGrpcServer(settings, context.log, () => intake.invalid());
  server.addService(traceService, { ...handlers });
  return await listenGrpc(server, address);
}
