export { encodeTraces } from "./encode-traces.ts";
export { encodeTracesJson, tracesJsonValue } from "./encode-traces-json.ts";
export { encodeExportResponse } from "./export-response.ts";

export { OtlpJsonTranscoder } from "./otlp-json-transcoder.ts";
export { OtlpTranscoder } from "./otlp-transcoder.ts";

export { type TraceServiceHandlers, traceService } from "./trace-service.ts";
