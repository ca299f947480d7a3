export {
  type GetCallRatesRequest,
  type GetErrorRatesRequest,
  type GetLatenciesRequest,
  type GetMetricsResponse,
  type GetMinStepDurationRequest,
  type GetMinStepDurationResponse,
  MetricsQueryBaseRequest,
} from "../gen/tracing/api_v2/metrics/metricsquery.ts";
export {
  type Label,
  type Metric,
  MetricFamily,
  type MetricPoint,
  MetricType,
} from "../gen/tracing/api_v2/metrics/openmetrics.ts";
