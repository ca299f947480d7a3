import { ExportTraceServiceResponse } from "../gen/opentelemetry/proto/collector/trace/v1/trace_service.ts";

/**
 * Number of rejected spans and the reason, for the answer to an export. 0 means full success. A `TranscodeResult` has
 * these fields too.
 */
export interface ExportOutcome {
  readonly rejectedSpans: number;
  readonly errorMessage: string;
}

/** The answer as protobuf; `0a 00` (an empty `partial_success`) when no span was rejected, as Jaeger answers. */
export function encodeExportResponse(outcome: ExportOutcome): Uint8Array {
  return isFull(outcome) ? fullResponse : encodeResponse(outcome);
}

/** The answer as OTLP JSON; `{"partialSuccess":{}}` when no span was rejected. */
export function encodeExportResponseJson(outcome: ExportOutcome): string {
  return isFull(outcome) ? fullResponseJson : encodeResponseJson(outcome);
}

/** Reads the protobuf answer of a collector, for clients. */
export function decodeExportResponse(bytes: Uint8Array): ExportOutcome {
  const { partialSuccess } = ExportTraceServiceResponse.decode(bytes);
  return {
    rejectedSpans: Number(partialSuccess?.rejectedSpans ?? 0n),
    errorMessage: partialSuccess?.errorMessage ?? "",
  };
}

function isFull({ rejectedSpans, errorMessage }: ExportOutcome): boolean {
  return rejectedSpans === 0 && errorMessage === "";
}

function encodeResponse(outcome: ExportOutcome): Uint8Array {
  return ExportTraceServiceResponse.encode(responseOf(outcome)).finish();
}

function encodeResponseJson(outcome: ExportOutcome): string {
  return JSON.stringify(ExportTraceServiceResponse.toJSON(responseOf(outcome)));
}

function responseOf({ rejectedSpans, errorMessage }: ExportOutcome): ExportTraceServiceResponse {
  return { partialSuccess: { rejectedSpans: BigInt(rejectedSpans), errorMessage } };
}

/** Answer of full success, encoded once because nearly all answers are equal. */
const full: ExportOutcome = { rejectedSpans: 0, errorMessage: "" };
const fullResponse = encodeResponse(full);
const fullResponseJson = encodeResponseJson(full);
