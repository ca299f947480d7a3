export type {
  GetDependenciesRequest,
  TraceQueryParameters,
} from "../gen/tracing/api_v3/query_service.ts";
export { type QueryServiceV3Handlers, queryServiceV3 } from "./query-service.ts";
