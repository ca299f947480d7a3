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
