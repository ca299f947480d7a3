export { decodeTraces } from "./decode-traces.ts";
export { encodeTraces } from "./encode-traces.ts";
export { encodeTracesJson, tracesJsonValue } from "./encode-traces-json.ts";
export {
  type ExportOutcome,
  encodeExportResponse,
  encodeExportResponseJson,
} from "./export-response.ts";
export type { EncodeOptions } from "./group-spans.ts";
export { OtlpJsonTranscoder } from "./otlp-json-transcoder.ts";
export { OtlpTranscoder } from "./otlp-transcoder.ts";
export { encodeRpcStatus, encodeRpcStatusJson } from "./rpc-status.ts";
export { serviceNameOf } from "./service-name.ts";
export { type TraceServiceHandlers, traceService } from "./trace-service.ts";
