import type {
  handleServerStreamingCall,
  handleUnaryCall,
  ServiceDefinition,
  UntypedServiceImplementation,
} from "@grpc/grpc-js";
import {
  type DependenciesResponse,
  type FindTraceSummariesRequest,
  type FindTraceSummariesResponse,
  type FindTracesRequest,
  type GetDependenciesRequest,
  type GetOperationsRequest,
  type GetOperationsResponse,
  type GetServicesRequest,
  type GetServicesResponse,
  type GetTraceRequest,
  QueryServiceService,
} from "../gen/tracing/api_v3/query_service.ts";

/** The methods that a server of `queryServiceV3` implements. */
export interface QueryServiceV3Handlers extends UntypedServiceImplementation {
  getTrace: handleServerStreamingCall<GetTraceRequest, Buffer>;
  findTraces: handleServerStreamingCall<FindTracesRequest, Buffer>;
  getServices: handleUnaryCall<GetServicesRequest, GetServicesResponse>;
  getOperations: handleUnaryCall<GetOperationsRequest, GetOperationsResponse>;
  getDependencies: handleUnaryCall<GetDependenciesRequest, DependenciesResponse>;
  findTraceSummaries: handleServerStreamingCall<FindTraceSummariesRequest, FindTraceSummariesResponse>;
}

const asBytes = {
  responseSerialize: (bytes: Buffer) => bytes,
  responseDeserialize: (bytes: Buffer) => bytes,
};

/**
 * `tracing.api_v3.QueryService`, which returns traces. Each message of `getTrace` and `findTraces` consists of bytes
 * that `encodeTraces` of `wire/otlp` made.
 */
export const queryServiceV3: ServiceDefinition<QueryServiceV3Handlers> = {
  ...QueryServiceService,
  getTrace: { ...QueryServiceService.getTrace, ...asBytes },
  findTraces: { ...QueryServiceService.findTraces, ...asBytes },
};
