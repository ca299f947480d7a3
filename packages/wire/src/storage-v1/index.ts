export {
  type CapabilitiesResponse,
  type FindTraceIDsResponse,
  type GetDependenciesResponse,
  type GetOperationsRequest,
  type GetOperationsResponse,
  type GetServicesResponse,
  SpansResponseChunk,
  type TraceQueryParameters,
  WriteSpanRequest,
  type WriteSpanResponse,
} from "../gen/tracing/storage/v1/storage.ts";
export { encodeSpanChunks, type SpanChunkLimits } from "./span-chunks.ts";
export { WriteSpanTranscoder } from "./write-span-transcoder.ts";
