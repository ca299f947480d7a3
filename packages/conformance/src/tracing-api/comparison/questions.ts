import { corpusIds, corpusSeconds } from "../corpus/corpus-message.ts";

/** A search range that contains the whole corpus, in microseconds since 1970. */
const window = {
  start: String((corpusSeconds - 3600) * 1_000_000),
  end: String((corpusSeconds + 3600) * 1_000_000),
};

const path = (parameters: Record<string, string> | [string, string][]) =>
  `/api/traces?${new URLSearchParams(parameters)}`;

/** Searches with a single condition, each for several services, and searches for traces by id. */
export function searches(services: readonly string[]): string[] {
  const all = { ...window, limit: "1000" };
  const micros = corpusSeconds * 1_000_000;
  const prefixes = ["otlp-grpc", "otlp-json", "post-spans", "thrift-http", "compact", "zipkin-json"];
  const conditions: [service: string, parameters: Record<string, string>][] = [
    ["many spans", { operation: "step 3" }],
    ["many spans", { operation: "Step 3" }],
    ["many spans", { operation: "" }],
    ["many spans", { tags: '{"step":"3"}' }],
    ["many spans", { tags: '{"step":"3","none":"x"}' }],
    ["many spans", { tag: "step:7", operation: "step 7" }],
    ["many spans", { tag: "step:7", operation: "step 8" }],
    ["many spans", { minDuration: "23ms" }],
    ["many spans", { minDuration: "24ms" }],
    ["many spans", { maxDuration: "1ms" }],
    ["many spans", { maxDuration: "999µs" }],
    ["many spans", { minDuration: "5ms", maxDuration: "6ms", operation: "step 1" }],
    ["many spans", { start: String(micros + 100), end: String(micros + 100) }],
    ["many spans", { start: String(micros + 221) }],
    ["many spans", { start: String(micros + 220) }],
    ["many spans", { end: String(micros - 1) }],
    ["every type", { tag: "text:grüße 🦊 \u0000 <&>" }],
    ["every type", { tags: '{"yes":"true"}' }],
    ["every type", { tags: '{"no":"false"}' }],
    ["every type", { tags: '{"int":"42"}' }],
    ["every type", { tags: '{"long":"42"}' }],
    ["every type", { tags: '{"int past safe":"9007199254740993"}' }],
    ["every type", { tags: '{"int min":"-9223372036854775808"}' }],
    ["every type", { tags: '{"double":"72.5"}' }],
    ["every type", { tags: '{"double whole":"3"}' }],
    ["every type", { tags: '{"double large":"1e+21"}' }],
    ["every type", { tags: '{"double small":"1e-07"}' }],
    ["every type", { tags: '{"double third":"0.3333333333"}' }],
    ["every type", { tags: '{"bytes":"00ff80"}' }],
    ["every type", { tags: '{"binary":"00ff80"}' }],
    ["every type", { tags: '{"array empty":"[]"}' }],
    ["every type", { tags: '{"empty":""}' }],
    ["every type", { tags: '{"":"empty key"}' }],
    ["every type", { tags: '{"internal.span.format":"otlp"}' }],
    ["every type", { tags: '{"several":"7"}' }],
    ["duplicates", { tags: '{"k":"1"}' }],
    ["duplicates", { tags: '{"k":"2"}' }],
    ["events", { tags: '{"event":"exception"}' }],
    ["events", { tags: '{"event":"own"}' }],
    ["status", { tags: '{"error":"true"}' }],
    ["status", { tags: '{"error":"own"}' }],
    ["status", { tags: '{"otel.status_code":"ERROR","otel.status_description":"stock <empty>"}' }],
    ["kinds", { tags: '{"span.kind":"consumer"}' }],
    ["scopes", { tags: '{"otel.scope.name":"lib"}' }],
    ["links", { tags: '{"w3c.tracestate":"vendor=1,other=x"}' }],
    ["errors", { tag: "error:true" }],
    ["everything", { tag: "http.status_code:503", tags: '{"number":"42"}' }],
  ];
  const ids = corpusIds("01");
  return [
    ...services.map((service) => path({ service, ...all })),
    ...conditions.flatMap(([name, parameters]) =>
      prefixes
        .map((prefix) => `${prefix} ${name}`)
        .filter((service) => services.includes(service))
        .map((service) => path({ service, ...all, ...parameters })),
    ),
    path({ service: "nobody", ...window }),
    path({ service: services[0] ?? "nobody", start: "0", end: "1" }),
    path([
      ["traceID", ids.trace(1)],
      ["traceID", ids.trace(2)],
      ["traceID", "dead"],
    ]),
    path([
      ["traceID", ids.shortTrace(12)],
      ["traceID", ids.shortTrace(12)],
    ]),
    path([["traceID", ids.shortTrace(12).toUpperCase()]]),
    path([["traceID", ids.shortTrace(12).padStart(32, "0")]]),
  ];
}

/** Questions whose answers are compared byte by byte, with order of members, spaces, and end. */
export function exactQuestions(): string[] {
  // The trace has only one span, so that the answer has no undefined order.
  const trace = `/api/traces/${corpusIds("04").trace(0xff)}`;
  return [
    trace,
    `${trace}?prettyPrint=true`,
    `${trace}?raw=true&prettyPrint=false`,
    "/api/operations?service=post-spans%20by%20hand",
    "/api/services/post-spans%20by%20hand/operations?prettyPrint=1",
    "/api/services/nobody/operations",
    "/api/traces?service=nobody",
    "/api/traces/zz",
    "/api/traces?traceID=dead&prettyPrint=x",
  ];
}

/** Searches with FindTraces over gRPC, with the same conditions in the form of gRPC. */
export function grpcSearches(services: readonly string[]): object[] {
  const all = {
    startTimeMin: { seconds: String(corpusSeconds - 3600) },
    startTimeMax: { seconds: String(corpusSeconds + 3600) },
    searchDepth: 1000,
  };
  const service = "otlp-grpc many spans";
  return [
    ...services.slice(0, 6).map((serviceName) => ({ serviceName, ...all })),
    { serviceName: service, operationName: "step 3", ...all },
    { serviceName: service, tags: { step: "3" }, ...all },
    { serviceName: service, durationMin: { nanos: 23_000_000 }, ...all },
    { serviceName: service, durationMin: { nanos: 23_000_001 }, ...all },
    { serviceName: service, durationMax: { nanos: 999_999 }, ...all },
    { serviceName: service, ...all, startTimeMin: { seconds: String(corpusSeconds + 1) } },
    { serviceName: "nobody", ...all },
  ];
}

/** Requests that the query API refuses or might be expected to refuse. */
export const queryErrors: readonly string[] = [
  "/api/traces",
  "/api/traces?service=",
  "/api/traces?service=%zz",
  "/api/traces?service=a;b=c",
  "/api/operations?service=nobody;x",
  "//api/services",
  "/api/./traces//..?service=x//",
  "/api/traces?service=x&start=a",
  "/api/traces?service=x&end=1.5",
  "/api/traces?service=x&start=99999999999999999999",
  "/api/traces?service=x&limit=a",
  "/api/traces?service=x&limit=99999999999",
  "/api/traces?service=x&limit=-1",
  "/api/traces?service=x&tag=a",
  "/api/traces?service=x&tags=a",
  "/api/traces?service=x&tags=%7B%22a%22:1%7D",
  "/api/traces?service=x&minDuration=3",
  "/api/traces?service=x&maxDuration=x",
  "/api/traces?service=x&minDuration=3s&maxDuration=1s",
  "/api/traces?service=x&minDuration=-1s",
  "/api/traces?traceID=zz",
  "/api/traces?traceID=",
  "/api/traces/zz",
  "/api/traces/-1",
  "/api/traces/0",
  "/api/traces/00000000000000000000000000000abc",
  "/api/traces/000000000000000000000000000000000abc",
  "/api/traces/c0de?raw=maybe",
  "/api/operations",
  "/api/operations?service=nobody",
  "/api/operations?service=nobody&spanKind=server",
  "/api/services/nobody/operations",
];

export interface SamplingQuestion {
  readonly question: string;
  /** The query, which begins with `?` or is empty. */
  readonly query: string;
  /** Also asked over gRPC; absent when gRPC cannot express the question. */
  readonly service?: string;
}

const ofService = (question: string, service: string): SamplingQuestion => ({
  question,
  service,
  query: `?service=${encodeURIComponent(service)}`,
});

/** Questions about the strategies of `samplingStrategies`. */
export const samplingQuestions: readonly SamplingQuestion[] = [
  ofService("unknown", "nobody"),
  ofService("empty", ""),
  ofService("probabilistic", "half"),
  ofService("rate limiting", "limited"),
  ofService("operations", "shop"),
  ofService("a rate and operations", "limited shop"),
  ofService("a type that is none", "odd"),
  ofService("a rate past 16 bits", "much"),
  { question: "no service", query: "" },
  { question: "two services", query: "?service=a&service=b" },
];

/** A strategies file with each kind of entry. */
export const samplingStrategies = {
  default_strategy: {
    type: "probabilistic",
    param: 0.25,
    operation_strategies: [{ operation: "/health", type: "probabilistic", param: 0 }],
  },
  service_strategies: [
    { service: "half", type: "probabilistic", param: 0.5 },
    { service: "limited", type: "ratelimiting", param: 5.7 },
    {
      service: "shop",
      type: "probabilistic",
      param: 0.8,
      operation_strategies: [
        { operation: "buy", type: "probabilistic", param: 1 },
        { operation: "/health", type: "probabilistic", param: 0.1 },
        { operation: "limited", type: "ratelimiting", param: 3 },
      ],
    },
    {
      service: "limited shop",
      type: "ratelimiting",
      param: 7,
      operation_strategies: [{ operation: "buy", type: "probabilistic", param: 0.3 }],
    },
    { service: "odd", type: "sometimes", param: 1 },
    { service: "much", type: "ratelimiting", param: 40_000 },
  ],
};
