export { compressSnappy } from "../compression/compress-snappy.ts";
export { decompressSnappy } from "../compression/decompress-snappy.ts";
export { ExportMetricsServiceRequest } from "../gen/opentelemetry/proto/collector/metrics/v1/metrics_service.ts";
export type { HistogramDataPoint, NumberDataPoint } from "../gen/opentelemetry/proto/metrics/v1/metrics.ts";
export { type TimeSeries, WriteRequest } from "../gen/prometheus/remote_write.ts";
export {
  Request as WriteRequestV2,
  type TimeSeries as TimeSeriesV2,
} from "../gen/prometheus/remote_write_v2.ts";
