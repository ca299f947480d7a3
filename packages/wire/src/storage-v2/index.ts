export type {
  FindTraceIDsResponse,
  GetDependenciesResponse,
  GetOperationsResponse,
  GetServicesResponse,
  GetTracesRequest,
  TraceQueryParameters,
} from "../gen/tracing/storage/v2/storage.ts";
export { stringAttribute, textOfAttribute } from "./query-attribute.ts";
export { decodeTraceChunk, encodeTraceChunks, type TraceChunkLimits } from "./trace-chunks.ts";
