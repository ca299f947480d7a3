import { ExportTraceServiceResponse } from "../gen/opentelemetry/proto/collector/trace/v1/trace_service.ts";
import type { ExportOutcome } from "./export-response.ts";

/** Reads the protobuf answer of a collector, for clients. */
export function decodeExportResponse(bytes: Uint8Array): ExportOutcome {
  const { partialSuccess } = ExportTraceServiceResponse.decode(bytes);
  return {
    rejectedSpans: Number(partialSuccess?.rejectedSpans ?? 0n),
    errorMessage: partialSuccess?.errorMessage ?? "",
  };
}
