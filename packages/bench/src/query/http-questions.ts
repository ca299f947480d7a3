import type { Samples } from "./samples.ts";

/** One kind of request to the HTTP API. */
export interface HttpQuestion {
  readonly name: string;
  /** Name of the operation in the API's description. */
  readonly operation: string;
  /** True when the public model also answers it. */
  readonly isModels: boolean;
  readonly request: (samples: Samples, attempt: number) => HttpRequest;
}

export interface HttpRequest {
  /** Path with the query. */
  readonly path: string;
  /** Body of a POST request; absent for GET. */
  readonly body?: string;
  readonly accept?: string;
  /** True when the answer has no end: the request then ends after its first bytes. */
  readonly isEndless?: boolean;
}

type Params = Readonly<Record<string, string>>;
type PathOf = (samples: Samples, attempt: number) => string;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const address = (path: string, params: Params): string => `${path}?${new URLSearchParams(params)}`;
const idOf: PathOf = ({ traceIds }, attempt) => traceIds[attempt % traceIds.length] ?? "";

/** A range in microseconds, for search and analysis. */
const micros = ({ endUnixMs }: Samples, lengthMs = hourMs): Params => ({
  start: String((endUnixMs - lengthMs) * 1_000),
  end: String(endUnixMs * 1_000),
});

/** A range in seconds, for Tempo's API. */
const seconds = ({ endUnixMs }: Samples, lengthMs = hourMs): Params => ({
  start: String(Math.floor((endUnixMs - lengthMs) / 1_000)),
  end: String(Math.ceil(endUnixMs / 1_000)),
});

const get = (name: string, operation: string, isModels: boolean, path: PathOf): HttpQuestion => ({
  ...{ name, operation, isModels },
  request: (samples, attempt) => ({ path: path(samples, attempt) }),
});

const search = (name: string, params: (samples: Samples, attempt: number) => Params): HttpQuestion =>
  get(`search: ${name}, hour`, "/api/traces", true, (samples, attempt) =>
    address("/api/traces", { ...micros(samples), limit: "20", ...params(samples, attempt) }),
  );

const rates = (kind: string, params: Params = {}): HttpQuestion =>
  get(`${kind} by operation, day`, `/api/metrics/${kind}`, false, ({ endUnixMs }) => {
    const services = ["frontend", "checkout", "payment"].map((service) => ["service", service]);
    const times = { endTs: String(endUnixMs), lookback: String(dayMs), step: "60000", ratePer: "600000" };
    const others = Object.entries({ groupByOperation: "true", ...times, ...params });
    return `/api/metrics/${kind}?${new URLSearchParams([...services, ...others])}`;
  });

const analysis = (name: string, path: string, params: Params, of: PathOf = () => path): HttpQuestion =>
  get(name, `/api/analysis/v1${path}`, false, (samples, attempt) =>
    address(`/api/analysis/v1${of(samples, attempt)}`, { ...micros(samples), ...params }),
  );

const tempo = (name: string, path: string, params: Params = {}, of: PathOf = () => path): HttpQuestion =>
  get(`tempo: ${name}`, `/tempo/api${path}`, false, (samples, attempt) =>
    address(`/tempo/api${of(samples, attempt)}`, { ...seconds(samples), ...params }),
  );

const frontend = '{ resource.service.name = "frontend" }';
const failedPayment = '{ resource.service.name = "payment" && status = error }';

const otlp = JSON.stringify({
  resourceSpans: [
    {
      resource: { attributes: [{ key: "service.name", value: { stringValue: "shop" } }] },
      scopeSpans: [
        {
          spans: [
            {
              ...{ traceId: "5b8efff798038103d269b633813fc60c", spanId: "eee19b7ec3c1b174", name: "GET /" },
              ...{ startTimeUnixNano: "1544712660000000000", endTimeUnixNano: "1544712661000000000" },
            },
          ],
        },
      ],
    },
  ],
});

const modelQuestions: readonly HttpQuestion[] = [
  get("services", "/api/services", true, () => "/api/services"),
  get("operations", "/api/services/{service}/operations", true, () => "/api/services/frontend/operations"),
  get("operations with kinds", "/api/operations", true, () => "/api/operations?service=frontend"),
  search("newest 20 of a service", () => ({ service: "frontend" })),
  search("operation", () => ({ service: "checkout", operation: "POST /orders" })),
  search("tag", () => ({ service: "frontend", tags: '{"http.response.status_code":"503"}' })),
  search("rare tag", ({ requestIds }, attempt) => ({
    service: "frontend",
    tags: JSON.stringify({ "http.request.id": requestIds[attempt % requestIds.length] ?? "" }),
  })),
  search("duration", () => ({ service: "frontend", minDuration: "60ms" })),
  get("five traces by id", "/api/traces", true, (samples, attempt) => {
    const ids = Array.from({ length: 5 }, (_, index) => ["traceID", idOf(samples, attempt + index)]);
    return `/api/traces?${new URLSearchParams(ids)}`;
  }),
  get("trace by id", "/api/traces/{traceId}", true, (samples, at) => `/api/traces/${idOf(samples, at)}`),
  get("dependencies, day", "/api/dependencies", true, ({ endUnixMs }) =>
    address("/api/dependencies", { endTs: String(endUnixMs), lookback: String(dayMs) }),
  ),
  {
    ...{ name: "archive a trace", operation: "/api/archive/{traceId}", isModels: false },
    request: (samples) => ({ path: `/api/archive/${idOf(samples, 0)}`, body: "" }),
  },
  {
    ...{ name: "transform OTLP", operation: "/api/transform", isModels: true },
    request: () => ({ path: "/api/transform", body: otlp }),
  },
  rates("calls"),
  rates("errors"),
  rates("latencies", { quantile: "0.95" }),
  get("least step", "/api/metrics/minstep", false, () => "/api/metrics/minstep"),
  get("metrics for Prometheus", "/api/metrics/prometheus", false, () => "/api/metrics/prometheus"),
  get("v3: services", "/api/v3/services", true, () => "/api/v3/services"),
  get("v3: operations", "/api/v3/operations", true, () => "/api/v3/operations?service=frontend"),
  get("v3: search, hour", "/api/v3/traces", true, ({ endUnixMs }) =>
    address("/api/v3/traces", {
      "query.service_name": "frontend",
      "query.start_time_min": new Date(endUnixMs - hourMs).toISOString(),
      "query.start_time_max": new Date(endUnixMs).toISOString(),
      "query.num_traces": "20",
    }),
  ),
  get("v3: trace", "/api/v3/traces/{traceId}", true, (samples, at) => `/api/v3/traces/${idOf(samples, at)}`),
];

const analysisQuestions: readonly HttpQuestion[] = [
  analysis("heat map of a service, hour", "/heatmap", { service: "frontend", columns: "60" }),
  analysis("heat map by TraceQL, hour", "/heatmap", { q: frontend, columns: "60" }),
  analysis("comparison, hour", "/compare", { service: "frontend", "selection.minDuration": "60ms" }),
  analysis("comparison of errors, hour", "/compare", { "selection.error": "true" }),
  analysis("comparison by TraceQL, hour", "/compare", { q: frontend, "selection.minDuration": "60ms" }),
  analysis("percentile of a duration, hour", "/percentiles", {
    ...{ service: "checkout", operation: "POST /orders", duration: "10ms" },
  }),
  get("percentiles of a trace", "/api/analysis/v1/percentiles/{traceId}", false, (samples, at) => {
    return `/api/analysis/v1/percentiles/${idOf(samples, at)}`;
  }),
  analysis("top operations, hour", "/operations/top", { order: "p95" }),
  get("critical path of a trace", "/api/analysis/v1/critical-path/{traceId}", false, (samples, at) => {
    return `/api/analysis/v1/critical-path/${idOf(samples, at)}`;
  }),
  analysis("critical path of 50 traces", "/critical-path", { service: "frontend", limit: "50" }),
  get("diff of two traces", "/api/analysis/v1/diff", false, (samples, attempt) =>
    address("/api/analysis/v1/diff", { a: idOf(samples, attempt), b: idOf(samples, attempt + 1) }),
  ),
  analysis("names of attributes, hour", "/attributes", {}),
  analysis(
    "values of an attribute, hour",
    "/attributes/{scope}/{name}/values",
    {},
    () => "/attributes/span/http.response.status_code/values",
  ),
  get("capabilities", "/api/analysis/v1/capabilities", false, () => "/api/analysis/v1/capabilities"),
  {
    ...{ name: "live tail, begun", operation: "/api/analysis/v1/tail", isModels: false },
    request: () => ({ path: "/api/analysis/v1/tail?service=frontend", isEndless: true }),
  },
  get("description", "/api/openapi.json", false, () => "/api/openapi.json"),
];

const tempoQuestions: readonly HttpQuestion[] = [
  get("tempo: echo", "/tempo/api/echo", false, () => "/tempo/api/echo"),
  get("tempo: ready", "/tempo/ready", false, () => "/tempo/ready"),
  get("tempo: build", "/tempo/api/status/buildinfo", false, () => "/tempo/api/status/buildinfo"),
  tempo("search by attribute, hour", "/search", { q: "{ span.http.response.status_code = 503 }" }),
  tempo("search by structure, hour", "/search", { q: `${frontend} >> ${failedPayment}` }),
  tempo("search by structure, nothing found", "/search", { q: `${failedPayment} >> ${frontend}` }),
  tempo("search by parent, hour", "/search", { q: `${frontend} > { status = error }` }),
  tempo("search by count, hour", "/search", { q: `${frontend} | count() > 3` }),
  tempo("search by tags, hour", "/search", { tags: "service.name=frontend" }),
  tempo("tags, hour", "/search/tags"),
  tempo("tags by scope, hour", "/v2/search/tags"),
  tempo("tag values, hour", "/search/tag/{tag}/values", {}, () => "/search/tag/service.name/values"),
  tempo(
    "typed tag values, hour",
    "/v2/search/tag/{tag}/values",
    {},
    () => "/v2/search/tag/span.http.response.status_code/values",
  ),
  tempo("trace", "/traces/{traceId}", {}, (samples, at) => `/traces/${idOf(samples, at)}`),
  {
    ...{ name: "tempo: trace, protobuf", operation: "/tempo/api/v2/traces/{traceId}", isModels: false },
    request: (samples, attempt) => ({
      ...{ path: `/tempo/api/v2/traces/${idOf(samples, attempt)}`, accept: "application/protobuf" },
    }),
  },
  tempo("rate by service, hour", "/metrics/query_range", {
    ...{ q: "{ } | rate() by(resource.service.name)", step: "60s" },
  }),
  tempo("quantiles of a service, hour", "/metrics/query_range", {
    ...{ q: `${frontend} | quantile_over_time(duration, .95) by(name)`, step: "60s" },
  }),
  tempo("count at once, hour", "/metrics/query", { q: "{ status = error } | count_over_time()" }),
];

/** Every operation of the HTTP API, some in several forms. */
export const httpQuestions: readonly HttpQuestion[] = [
  ...modelQuestions,
  ...analysisQuestions,
  ...tempoQuestions,
];

/**
 * Operations in a description of the API for which there is no question.
 * @param paths paths of an OpenAPI document
 */
export function unasked(paths: readonly string[]): string[] {
  const generic = (path: string) => path.replaceAll(/\{[^}]*\}/g, "{}");
  const asked = new Set(httpQuestions.map(({ operation }) => generic(operation)));
  return paths.filter((path) => !asked.has(generic(path)));
}
