export type { CollectorServiceServer } from "../gen/tracing/api_v2/collector.ts";
export type { MetricsQueryServiceServer } from "../gen/tracing/api_v2/metrics/metricsquery.ts";
export type { QueryServiceServer } from "../gen/tracing/api_v2/query.ts";
export type { SamplingManagerServer } from "../gen/tracing/api_v2/sampling.ts";
export type {
  ArchiveSpanReaderPluginServer,
  ArchiveSpanWriterPluginServer,
  DependenciesReaderPluginServer,
  PluginCapabilitiesServer,
  SpanReaderPluginServer,
  SpanWriterPluginServer,
  StreamingSpanWriterPluginServer,
} from "../gen/tracing/storage/v1/storage.ts";
export type {
  CapabilitiesServer,
  DependencyReaderServer,
  TraceReaderServer,
} from "../gen/tracing/storage/v2/storage.ts";
export { publicNameOf } from "./aliases.ts";
export { bindServer } from "./bind-server.ts";
export { addHealth, healthServiceName } from "./health.ts";
export { acceptMoreEncodings } from "./more-encodings.ts";
export { addReflection } from "./reflection.ts";
export { serverCredentialsOf } from "./server-credentials.ts";
export {
  archiveSpanReaderService,
  archiveSpanWriterService,
  collectorService,
  dependenciesReaderService,
  dependencyReaderService,
  metricsQueryService,
  pluginCapabilitiesService,
  queryService,
  samplingService,
  spanReaderService,
  spanWriterService,
  storageCapabilitiesService,
  streamingSpanWriterService,
  traceReaderService,
} from "./services.ts";
export { rpcServiceName, withPublicNames } from "./with-public-names.ts";
