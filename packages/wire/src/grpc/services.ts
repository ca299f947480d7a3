import type { ServiceDefinition } from "@grpc/grpc-js";
import { type CollectorServiceServer, CollectorServiceService } from "../gen/tracing/api_v2/collector.ts";
import { type QueryServiceServer, QueryServiceService } from "../gen/tracing/api_v2/query.ts";
import { type SamplingManagerServer, SamplingManagerService } from "../gen/tracing/api_v2/sampling.ts";

/** `tracing.api_v2.CollectorService`: spans in (`postSpans`). */
export const collectorService: ServiceDefinition<CollectorServiceServer> = CollectorServiceService;

/** `tracing.api_v2.QueryService`: traces out. */
export const queryService: ServiceDefinition<QueryServiceServer> = QueryServiceService;

/** `tracing.api_v2.SamplingManager`: how clients shall sample. */
export const samplingService: ServiceDefinition<SamplingManagerServer> = SamplingManagerService;
