import { absentTraceId, type GrafanaQuestion } from "./question.ts";

type Named = [name: string, asked: Omit<GrafanaQuestion, "name" | "of">];

/** Traces with numbers and booleans as values: from version 3 of the response, Grafana 13 reads only texts. */
const withNumbers = /(10|30|50|60)$/;

function* ofVersion(isThree: boolean, traceIds: readonly string[]): Generator<Named> {
  const error = "cannot unmarshal";
  for (const id of traceIds) {
    yield [
      `trace ${id}`,
      { query: { query: id }, ...(isThree && withNumbers.test(id) ? { finds: { error } } : {}) },
    ];
  }
  const [, second] = traceIds;
  yield [
    "trace with times",
    { query: { query: second }, jsonData: { traceIdTimeParams: { enabled: true } }, with: ["shop"] },
  ];
  yield [
    "trace that is not there",
    { query: { query: absentTraceId }, finds: { error: "request failed: 404" } },
  ];
  yield ["health", { health: true, with: ["OK", "Data source is working"] }];
  yield ["services", { resource: "services", with: ["shop", "payment"] }];
  yield ["operations", { resource: "services/shop/operations", with: ["POST /checkout"] }];
  yield ["operations of none", { resource: "services/none%20such/operations", finds: "nothing" }];
}

const badRequest = { error: "request failed: 400" };
const searches: readonly [
  name: string,
  asked: Readonly<Record<string, unknown>>,
  finds?: GrafanaQuestion["finds"],
][] = [
  ["of a service", { service: "shop" }],
  ["of an operation", { service: "shop", operation: "POST /checkout" }],
  ["with tags", { service: "shop", tags: 'http.method=POST http.status_code="500"' }],
  ["for errors", { service: "shop", tags: "error=true" }],
  ["with durations", { service: "shop", minDuration: "1ms", maxDuration: "10s" }],
  ["that finds nothing", { service: "shop", operation: "none" }, "nothing"],
  ["with a mistake", { service: "shop", minDuration: "5" }, badRequest],
  ["without a service", {}, badRequest],
];

function* questions(traceIds: readonly string[]): Generator<Named> {
  yield* ofVersion(false, traceIds);
  for (const [name, asked] of ofVersion(true, traceIds)) {
    yield [`${name} by version 3`, { ...asked, toggles: ["jaegerEnableGrpcEndpoint"] }];
  }
  for (const [name, asked, finds = "something"] of searches) {
    yield [`search ${name}`, { query: { queryType: "search", limit: 20, ...asked }, finds }];
  }
  yield ["graph of dependencies", { query: { queryType: "dependencyGraph" }, with: ["shop", "payment"] }];
}

/** Questions of the Jaeger data source's page. */
export const jaegerQuestions = (traceIds: readonly string[]): GrafanaQuestion[] =>
  [...questions(traceIds)].map(([name, asked]) => ({ name: `jaeger: ${name}`, of: "jaeger", ...asked }));
