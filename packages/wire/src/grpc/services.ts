import type { ServiceDefinition } from "@grpc/grpc-js";
import { type CollectorServiceServer, CollectorServiceService } from "../gen/tracing/api_v2/collector.ts";
import {
  type MetricsQueryServiceServer,
  MetricsQueryServiceService,
} from "../gen/tracing/api_v2/metrics/metricsquery.ts";
import { type QueryServiceServer, QueryServiceService } from "../gen/tracing/api_v2/query.ts";
import { type SamplingManagerServer, SamplingManagerService } from "../gen/tracing/api_v2/sampling.ts";
import {
  ArchiveSpanReaderPluginService,
  ArchiveSpanWriterPluginService,
  DependenciesReaderPluginService,
  PluginCapabilitiesService,
  SpanReaderPluginService,
  SpanWriterPluginService,
  StreamingSpanWriterPluginService,
} from "../gen/tracing/storage/v1/storage.ts";
import {
  CapabilitiesService,
  DependencyReaderService,
  TraceReaderService,
} from "../gen/tracing/storage/v2/storage.ts";

/** `tracing.api_v2.CollectorService`: receives spans (`postSpans`). */
export const collectorService: ServiceDefinition<CollectorServiceServer> = CollectorServiceService;

/** `tracing.api_v2.QueryService`: returns traces. */
export const queryService: ServiceDefinition<QueryServiceServer> = QueryServiceService;

/** `tracing.api_v2.metrics.MetricsQueryService`: returns rates, errors and durations. */
export const metricsQueryService: ServiceDefinition<MetricsQueryServiceServer> = MetricsQueryServiceService;

/** `tracing.api_v2.SamplingManager`: returns sampling strategies for clients. */
export const samplingService: ServiceDefinition<SamplingManagerServer> = SamplingManagerService;

// The remote storage API, `tracing.storage.v1`.

/** Returns traces, services and operations. */
export const spanReaderService = SpanReaderPluginService;

/** Writes spans; each call has one span. */
export const spanWriterService = SpanWriterPluginService;

/** Writes spans; each call has many spans. */
export const streamingSpanWriterService = StreamingSpanWriterPluginService;

export const archiveSpanReaderService = ArchiveSpanReaderPluginService;

export const archiveSpanWriterService = ArchiveSpanWriterPluginService;

export const dependenciesReaderService = DependenciesReaderPluginService;

/** Reports the services that a storage supports. */
export const pluginCapabilitiesService = PluginCapabilitiesService;

// The remote storage API, `tracing.storage.v2`. Spans are written with OTLP's `traceService` of `wire/otlp`.

/** Returns traces, services and operations. */
export const traceReaderService = TraceReaderService;

export const dependencyReaderService = DependencyReaderService;

/** Reports the searches that a storage supports. */
export const storageCapabilitiesService = CapabilitiesService;
