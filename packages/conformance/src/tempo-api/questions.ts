import type { Corpus } from "./corpus.ts";
import { metricsQueries, searchQueries } from "./query-grammar.ts";
import { writtenMetrics, writtenSearches } from "./written-queries.ts";

/** One request of the comparison. `start` and `end` among the parameters are seconds from the base of the corpus. */
export interface Question {
  readonly path: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly accept?: string;
  /**
   * For a call over gRPC, whose method is `path`: members of the request in addition to `start` and `end` of `params`.
   */
  readonly message?: Readonly<Record<string, unknown>>;
}

/** The range from a minute before the base of the corpus to three minutes after it. */
const times = { start: "-60", end: "180" };
const all = { ...times, limit: "100", spss: "100" };

const tags = [
  ...[
    "service.name",
    "http.method",
    "http.status_code",
    "name",
    "status.code",
    "root.name",
    "root.service.name",
  ],
  ...["absent", "mixed", "retried"],
];
const identifiers = [
  ...[
    "resource.service.name",
    ".service.name",
    "span.http.status_code",
    ".http.method",
    "name",
    "span:name",
    "kind",
  ],
  ...[
    "span:kind",
    "status",
    "span:status",
    "statusMessage",
    "rootName",
    "trace:rootService",
    "span.mixed",
    ".both",
  ],
  ...[
    "span.retried",
    "span.texts",
    "span.ints",
    "span.doubles",
    "span.bytes",
    "span.map",
    "event.exception.type",
  ],
  ...[
    "event:name",
    "link.link.reason",
    "instrumentation:name",
    "instrumentation:version",
    "span.absent",
    "duration",
  ],
  ...[
    "instrumentation.lib.flavour",
    'span."a b"',
    "span.load",
    "span.double",
    "resource.flags",
    "traceDuration",
  ],
  ...["span:id", "trace:id", "nestedSetParent", "span.empty", "span:statusMessage", "nonsense", "span.", "."],
];
const scopes = [
  "",
  "span",
  "resource",
  "intrinsic",
  "event",
  "link",
  "instrumentation",
  "none",
  "nonsense",
  "Span",
];
const filters = [
  '{ resource.service.name = "shop" }',
  "{ span.http.status_code >= 400 }",
  '{ name = "consume" && span.attempt = 1 }',
  "{ status = error }",
  '{ resource.service.name = "shop" && span.http.method = }',
  "{ .both != nil }",
  '{ resource.service.name =~ "s.*" } >> { }',
  "nonsense",
];

function* tagQuestions(): Generator<Question> {
  for (const path of ["/api/search/tags", "/api/v2/search/tags"]) {
    for (const scope of scopes) {
      yield { path, params: { ...times, ...(scope === "" ? {} : { scope }) } };
    }
  }
  for (const q of filters) {
    yield { path: "/api/v2/search/tags", params: { ...times, q } };
  }
  for (const tag of tags) {
    yield { path: `/api/search/tag/${tag}/values`, params: times };
  }
  for (const tag of identifiers) {
    yield { path: `/api/v2/search/tag/${encodeURIComponent(tag)}/values`, params: times };
  }
  for (const q of filters) {
    for (const tag of ["name", "resource.service.name", "span.http.status_code", ".attempt"]) {
      yield { path: `/api/v2/search/tag/${tag}/values`, params: { ...times, q } };
    }
  }
}

function* traceQuestions({ traceIds }: Corpus): Generator<Question> {
  const others = ["1234", "xyz", "a1a2a3a4a5a6a7a8", "0".repeat(32), "1".repeat(33), "f102030405060708"];
  for (const id of [...traceIds, ...others]) {
    for (const path of [`/api/traces/${id}`, `/api/v2/traces/${id}`]) {
      yield { path };
      yield { path, params: times };
      yield { path, accept: "application/protobuf" };
    }
  }
}

/** Questions of Grafana with streaming, which newer versions use by default. */
function* streamedQuestions(): Generator<Question> {
  const ask = (method: string, message: Question["message"] = {}): Question => ({
    ...{ path: `/tempopb.StreamingQuerier/${method}`, params: times, message },
  });
  for (const query of ["{ }", "{ status = error } | select(name)", "{ } >> { kind = client }", "{ .a = }"]) {
    yield ask("Search", { query, limit: 100, spansPerSpanSet: 100 });
  }
  yield ask("Search", { tags: { "service.name": "shop" }, limit: 100, spansPerSpanSet: 100 });
  for (const scope of ["", "span", "intrinsic", "nonsense"]) {
    yield ask("SearchTags", { scope });
    yield ask("SearchTagsV2", { scope });
  }
  for (const tagName of ["service.name", "http.method"]) {
    yield ask("SearchTagValues", { tagName });
  }
  for (const tagName of ["resource.service.name", "span.http.status_code", "status", "nonsense"]) {
    yield ask("SearchTagValuesV2", { tagName });
    yield ask("SearchTagValuesV2", { tagName, query: "{ status = error }" });
  }
  for (const query of [
    "{ } | count_over_time() by(name)",
    "{ } | quantile_over_time(duration, .5)",
    "{ }",
    "{ |",
  ]) {
    yield ask("MetricsQueryRange", { query, step: "30000000000" });
    yield ask("MetricsQueryInstant", { query });
  }
}

const mistakes: readonly Question[] = [
  { path: "/api/search", params: { q: "{}", start: "5", end: "5" } },
  { path: "/api/search", params: { q: "{}", start: "9", end: "5" } },
  ...["x", "0", "-1", "1.5", "4294967296"].flatMap((limit) => [
    { path: "/api/search", params: { ...times, q: "{}", limit } },
    { path: "/api/search", params: { ...times, q: "{}", spss: limit } },
  ]),
  { path: "/api/search", params: { ...times, q: "{}", tags: "a=b" } },
  ...[
    "a=b a=c",
    'a="',
    "=",
    "a",
    "a=",
    'service.name=shop http.method="POST"',
    "http.status_code=500",
    "name=level",
  ].map((tags) => ({ path: "/api/search", params: { ...all, tags } })),
  ...["x", "1", "100ms", "500ms", "2s"].flatMap((duration) => [
    { path: "/api/search", params: { ...all, minDuration: duration } },
    { path: "/api/search", params: { ...all, maxDuration: duration } },
  ]),
  { path: "/api/search", params: { ...all, minDuration: "2s", maxDuration: "1s" } },
  {
    path: "/api/search",
    params: { ...all, tags: "service.name=shop", minDuration: "150ms", maxDuration: "250ms" },
  },
  ...["x", "0", "-5", "1ms", "10s10", "5", "1h", "0.5"].map((step) => ({
    path: "/api/metrics/query_range",
    params: { ...times, q: "{ } | count_over_time()", step },
  })),
  { path: "/api/metrics/query_range", params: { ...times, step: "10" } },
  { path: "/api/metrics/query_range", params: { ...times, q: "{ }", step: "10" } },
  { path: "/api/metrics/query", params: { ...times, q: "{ }" } },
  { path: "/api/metrics/query", params: times },
  { path: "/api/search", params: { ...all, q: "{ } | rate()" } },
  { path: "/api/nonsense" },
  { path: "/api/echo" },
  { path: "/api/status/buildinfo" },
];

/** Numbers of questions that the grammar makes, and their seed. */
export interface Generated {
  readonly searches: number;
  readonly metrics: number;
  readonly seed?: number;
}

/** All questions, by name. */
export function questionsOf(
  corpus: Corpus,
  { searches, metrics, seed = 1 }: Generated = { searches: 300, metrics: 100 },
): Map<string, Question> {
  const found = new Map<string, Question>();
  const add = (question: Question) => {
    const { q, ...params } = question.params ?? {};
    const rest = new URLSearchParams(params).toString();
    const message = question.message === undefined ? undefined : JSON.stringify(question.message);
    const shown = [question.path, q, rest, question.accept, message].filter(
      (part) => part !== undefined && part !== "",
    );
    found.set(shown.join("  "), question);
  };
  for (const q of [...writtenSearches, ...searchQueries(searches, seed)]) {
    add({ path: "/api/search", params: { ...all, q } });
  }
  for (const question of tagQuestions()) {
    add(question);
  }
  for (const question of traceQuestions(corpus)) {
    add(question);
  }
  for (const q of [...writtenMetrics, ...metricsQueries(metrics, seed + 1)]) {
    add({ path: "/api/metrics/query_range", params: { ...times, q, step: "30s", exemplars: "0" } });
    add({ path: "/api/metrics/query", params: { ...times, q } });
  }
  for (const question of [...mistakes, ...streamedQuestions()]) {
    add(question);
  }
  return found;
}
