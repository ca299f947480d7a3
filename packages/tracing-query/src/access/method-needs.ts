import type { Need } from "./access.ts";

/**
 * The need of each method of the gRPC services, by service and method. Health and reflection need no rights and are
 * not checked. A method that this table lacks is refused to everybody while there is a file of access.
 */
const methods: Readonly<Record<string, Need>> = {
  "api_v2.QueryService/GetTrace": "viewer",
  "api_v2.QueryService/FindTraces": "viewer",
  "api_v2.QueryService/ArchiveTrace": "analyst",
  "api_v2.QueryService/GetServices": "viewer",
  "api_v2.QueryService/GetOperations": "viewer",
  "api_v2.QueryService/GetDependencies": "viewer",
  "api_v3.QueryService/GetTrace": "viewer",
  "api_v3.QueryService/FindTraces": "viewer",
  "api_v3.QueryService/FindTraceSummaries": "viewer",
  "api_v3.QueryService/GetServices": "viewer",
  "api_v3.QueryService/GetOperations": "viewer",
  "api_v3.QueryService/GetDependencies": "viewer",
  "metrics.MetricsQueryService/GetMinStepDuration": "viewer",
  "metrics.MetricsQueryService/GetLatencies": "viewer",
  "metrics.MetricsQueryService/GetCallRates": "viewer",
  "metrics.MetricsQueryService/GetErrorRates": "viewer",
  "tempopb.StreamingQuerier/Search": "viewer",
  "tempopb.StreamingQuerier/SearchTags": "viewer",
  "tempopb.StreamingQuerier/SearchTagsV2": "viewer",
  "tempopb.StreamingQuerier/SearchTagValues": "viewer",
  "tempopb.StreamingQuerier/SearchTagValuesV2": "viewer",
  "tempopb.StreamingQuerier/MetricsQueryRange": "viewer",
  "tempopb.StreamingQuerier/MetricsQueryInstant": "viewer",
};

/** @param path `/package.Service/Method`, with our package or Jaeger's */
export function needOfMethod(path: string): Need | undefined {
  const name = /[^./]+\.[^./]+\/[^/]+$/.exec(path)?.[0] ?? "";
  return Object.hasOwn(methods, name) ? methods[name] : undefined;
}
