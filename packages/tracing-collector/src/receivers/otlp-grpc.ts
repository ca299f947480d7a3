import { status } from "@grpc/grpc-js";
import type { HeaderField } from "http-protocols/http2";
import { encodeExportResponse, OtlpTranscoder, traceService } from "wire/otlp";
import type { TranscodeResult } from "wire/rows";
import { SpanIntake } from "../pipeline/span-intake.ts";
import type { GrpcSettings } from "./grpc-listener.ts";
import { GrpcSpans } from "./grpc-spans.ts";
import type { Receiver, ReceiverAddress, ReceiverContext } from "./receiver.ts";
import { maxRowsBytes } from "./request-limits.ts";
import type { CallMetadata } from "./tenant.ts";
import type { UnaryMethod } from "./unary-grpc/unary-method.ts";
import { listenUnaryGrpc } from "./unary-grpc-listener.ts";

/** The most frequent answer, encoded once. */
const fullSuccess = encodeExportResponse({ rejectedSpans: 0, errorMessage: "" });

/**
 * OTLP over gRPC: `opentelemetry.proto.collector.trace.v1.TraceService`. Most spans come through this receiver, so a
 * message is converted to rows in one pass, without grpc-js (docs/adr/007).
 *
 * Invalid bytes get INVALID_ARGUMENT, after which senders do not retry. A refusal gets RESOURCE_EXHAUSTED or
 * UNAVAILABLE with `RetryInfo`. As in Jaeger, there is no reflection. Source: OpenTelemetry protocol
 * specification, "OTLP/gRPC"
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
  const exportTraces: UnaryMethod = {
    call: (message, fields) => spans.keep(message, metadataOf(fields), answerOf),
    failureOf: (error) => spans.failureOf(error),
    refused: () => intake.invalid(),
  };
  const methods = new Map([[traceService.export.path, exportTraces]]);
  return await listenUnaryGrpc(address, settings, methods, context.unfinished);
}

function answerOf(outcome: TranscodeResult): Uint8Array {
  return outcome.rejectedSpans === 0 ? fullSuccess : encodeExportResponse(outcome);
}

function metadataOf(fields: readonly HeaderField[]): CallMetadata {
  return {
    get: (name) => fields.filter((field) => field.name === name).map(({ value }) => value),
  };
}
