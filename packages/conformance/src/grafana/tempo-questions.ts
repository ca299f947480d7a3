import { absentTraceId, type GrafanaQuestion } from "./question.ts";

type Named = [name: string, asked: Omit<GrafanaQuestion, "name" | "of">];

const jsonData = { streamingEnabled: { search: true, metrics: true } };

/**
 * Queries of an Explore page: first the queries that its form makes, then hand-written queries; they cover all three
 * kinds of tables.
 */
const searches: readonly [query: string, tableType: string, found: readonly string[]][] = [
  ["{}", "traces", ["shop", "POST /checkout"]],
  ['{resource.service.name="shop"}', "traces", ["POST /checkout"]],
  ['{resource.service.name=~"shop|payment" && duration>10ms && duration<1h}', "traces", ["shop"]],
  ['{resource.service.name="shop" && name="POST /checkout"}', "spans", ["POST /checkout"]],
  ["{status=error}", "spans", ["shop"]],
  ['{span.http.status_code>=400 && span.http.method="POST"}', "spans", ["402", "500"]],
  ["{nestedSetParent<0} | select(status, resource.cloud.zone)", "spans", ["eu-1", "error"]],
  ['{ resource.service.name = "shop" } >> { kind = server }', "traces", ["shop"]],
  ["{ } | by(resource.service.name) | count() > 1", "traces", ["shop"]],
  ["{ } | avg(duration) > 1ms", "raw", ["shop"]],
  ["{ .load > 0.5 } | select(span.load, span.retried)", "spans", ["0.75"]],
];

const metrics: readonly string[] = [
  "{} | rate()",
  "{} | rate() by (resource.service.name)",
  "{status=error} | count_over_time() by (name, status)",
  "{} | quantile_over_time(duration, .5, .99) by (span.http.status_code)",
  "{} | histogram_over_time(duration)",
  "{} | avg_over_time(duration)",
  "{} | max_over_time(span.load)",
  "{nestedSetParent<0} | rate() by(resource.service.name) | topk(2)",
];

const mistakes: readonly [query: string, error: string][] = [
  ["{ status = eror }", "eror"],
  ["{ .a = }", "parse error"],
  ["{ | rate()", "parse error"],
];

const tags: readonly string[] = [
  ...["resource.service.name", ".service.name", "span.http.status_code", 'span."a b"', "span.retried"],
  ...["name", "status", "kind", "rootServiceName", "event:name"],
];

function* editorQuestions(): Generator<Named> {
  const times = "&start=-60&end=180";
  const where = `&q=${encodeURIComponent('{resource.service.name="shop"}')}`;
  const found = ["http.status_code", "span", "resource"];
  for (const more of ["", times]) {
    yield [`tags${more}`, { resource: `tags?limit=5000${more}`, with: found }];
  }
  for (const tag of tags) {
    // The tag is encoded twice: by the language provider, and by the request.
    const resource = `tag-values?limit=5000&tag=${encodeURIComponent(encodeURIComponent(tag))}${times}`;
    yield [`values of ${tag}`, { resource }];
    // No span of the shop has these tags.
    const finds = ['span."a b"', "event:name"].includes(tag) ? "nothing" : "something";
    yield [`values of ${tag} where`, { resource: resource + where, finds }];
  }
}

function* traceQuestions(traceIds: readonly string[]): Generator<Named> {
  const byId = (query: string | undefined) => ({ query: { queryType: "traceId", query } });
  for (const id of traceIds) {
    yield [`trace ${id}`, { ...byId(id), withoutTimes: true }];
  }
  yield ["trace with times", byId(traceIds[0])];
  const absent: Omit<GrafanaQuestion, "name" | "of"> = {
    ...byId(absentTraceId),
    finds: { error: absentTraceId },
  };
  yield ["trace that is not there", { ...absent, withoutTimes: true }];
  yield ["trace that is not there, with times", absent];
  yield ["trace by no id", { ...byId("xyz"), withoutTimes: true, finds: { error: "invalid trace id" } }];
}

function* searchQuestions(): Generator<Named> {
  for (const [text, tableType, found] of searches) {
    const query = { queryType: "traceql", query: text, tableType, limit: 100, spss: 100, filters: [] };
    yield [`search ${tableType} ${text}`, { query, with: found }];
    yield [
      `streamed ${text}`,
      { stream: "search", query: { ...query, SpansPerSpanSet: 100 }, jsonData, with: ["startTimeUnixNano"] },
    ];
  }
  const form = { queryType: "traceqlSearch", query: '{resource.service.name="shop"}', limit: 20 };
  yield ["search of its form", { query: { ...form, filters: [] }, with: ["POST /checkout"] }];
  const none = { queryType: "traceql", query: '{name="none"}', limit: 20 };
  yield ["search for nothing", { query: none, finds: "nothing" }];
  yield ["streamed search for nothing", { stream: "search", query: none, jsonData, finds: "nothing" }];
}

function* metricsQuestions(): Generator<Named> {
  for (const text of metrics) {
    for (const metricsQueryType of ["range", "instant"]) {
      const query = { queryType: "traceql", query: text, exemplars: 0, metricsQueryType };
      yield [`${metricsQueryType} ${text}`, { query: { ...query, step: "30s" } }];
      yield [
        `streamed ${metricsQueryType} ${text}`,
        { stream: "metrics", query: { ...query, step: 30_000_000_000 }, jsonData },
      ];
    }
  }
}

function* questions(traceIds: readonly string[]): Generator<Named> {
  yield ["health", { health: true, with: ["OK", "Data source is working"] }];
  yield ["health with streaming", { health: true, jsonData, with: ["OK", "Streaming test succeeded"] }];
  yield* editorQuestions();
  yield* traceQuestions(traceIds);
  yield* searchQuestions();
  yield* metricsQuestions();
  for (const [text, error] of mistakes) {
    const query = { queryType: "traceql", query: text, limit: 20 };
    yield [`mistake ${text}`, { query, finds: { error } }];
    yield [`streamed mistake ${text}`, { stream: "search", query, jsonData, finds: { error } }];
  }
}

/** Questions of the Tempo data source's page. */
export const tempoQuestions = (traceIds: readonly string[]): GrafanaQuestion[] =>
  [...questions(traceIds)].map(([name, asked]) => ({ name: `tempo: ${name}`, of: "tempo", ...asked }));
