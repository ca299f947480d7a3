import type { handleUnaryCall, ServiceDefinition } from "@grpc/grpc-js";
import { type ExportOutcome, encodeExportResponse } from "./export-response.ts";
import { decodeExportResponse } from "./read-export-response.ts";

/** The methods that a server of `traceService` implements. */
export interface TraceServiceHandlers {
  readonly export: handleUnaryCall<Buffer, ExportOutcome>;
}

/**
 * OTLP's `TraceService` for grpc-js. The request stays bytes, which `OtlpTranscoder` reads, so the handler must refuse
 * invalid messages.
 */
export const traceService = {
  export: {
    path: "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
    requestStream: false,
    responseStream: false,
    requestSerialize: (request: Buffer) => request,
    requestDeserialize: (bytes: Buffer) => bytes,
    responseSerialize: (outcome: ExportOutcome) => Buffer.from(encodeExportResponse(outcome)),
    responseDeserialize: (bytes: Buffer) => decodeExportResponse(bytes),
    originalName: "export",
  },
} satisfies ServiceDefinition<{ export: handleUnaryCall<Buffer, ExportOutcome> }>;
