export {
  type GetMetricsResponse,
  MetricsQueryBaseRequest,
} from "../gen/tracing/api_v2/metrics/metricsquery.ts";
export {
  type Metric,
  MetricFamily,
  type MetricPoint,
  MetricType,
} from "../gen/tracing/api_v2/metrics/openmetrics.ts";
