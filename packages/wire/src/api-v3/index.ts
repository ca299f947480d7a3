export type {
  DependenciesResponse,
  FindTraceSummariesRequest,
  FindTraceSummariesResponse,
  FindTracesRequest,
  GetDependenciesRequest,
  GetOperationsRequest,
  GetOperationsResponse,
  GetServicesRequest,
  GetServicesResponse,
  GetTraceRequest,
  Operation,
  TraceQueryParameters,
  TraceSummary,
} from "../gen/tracing/api_v3/query_service.ts";
export { type QueryServiceV3Handlers, queryServiceV3 } from "./query-service.ts";
