// The requests that Grafana's Tempo data source makes, in the shapes that its source builds them, and its parser's demands
// on the answers.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decodeTraces } from "wire/testing/decode-traces";
import type { z } from "zod";
import { otlpSpan, sampleStore, sampleTraceId } from "../service/sample-store.ts";
import {
  buildInfoAnswer,
  instantAnswer,
  rangeAnswer,
  searchAnswer,
  tagsAnswer,
  tagsV2Answer,
  tagValuesAnswer,
  tagValuesV2Answer,
} from "../testing/grafana/tempo-answers.ts";
import { openSampleServer, type SampleServer } from "../testing/sample-server.ts";

let server: SampleServer;
beforeAll(async () => {
  const root = otlpSpan({
    name: "GET /a b",
    durationNano: 20_000_000n,
    status: { code: "error", message: "broken" },
    attributes: [
      { key: "http.status_code", value: { type: "int", value: 500n } },
      { key: "http.url", value: { type: "string", value: "http://shop/Cart" } },
      { key: "ratio", value: { type: "double", value: 0.5 } },
      { key: "cached", value: { type: "bool", value: false } },
    ],
  });
  const child = otlpSpan({
    ...{
      service: "stock",
      spanId: "00000000000000b2",
      parentSpanId: root.spanId,
      name: "read",
      kind: "client",
    },
  });
  server = await openSampleServer(await sampleStore([root, child]));
});
afterAll(() => server.stop(AbortSignal.abort()));

const nowSeconds = Math.trunc(Date.now() / 1_000);
const range = { start: nowSeconds - 3_600, end: nowSeconds + 1 };

/** As its frontend writes parameters: spaces as %20. */
const query = (params: Record<string, string | number>) =>
  Object.entries(params)
    .map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`)
    .join("&");

const search = (q: string, more = {}) => `/api/search?${query({ q, limit: 20, spss: 3, ...range, ...more })}`;
/** Its search before TraceQL. */
const native = (tags: string, more = {}) => `/api/search?${query({ tags, limit: 20, ...more, ...range })}`;
const overTime = (q: string, more = {}) => `/api/metrics/query_range?${query({ q, ...range, ...more })}`;
const instant = (q: string) => `/api/metrics/query?${query({ q, ...range })}`;
/** Its tags are encoded twice; the proxy in between decodes once. */
const values = (tag: string, more = {}) =>
  `/api/v2/search/tag/${encodeURIComponent(tag)}/values?${query({ limit: 5_000, ...more })}`;

async function get(path: string): Promise<unknown> {
  const response = await fetch(`${server.base}/tempo${path}`, { headers: { accept: "application/json" } });
  const text = await response.text();
  expect([response.status, text]).toEqual([200, expect.any(String)]);
  return JSON.parse(text);
}

test("the test of a data source", async () => {
  const response = await fetch(`${server.base}/tempo/api/echo`);
  expect([response.status, await response.text()]).toEqual([200, "echo"]);
  buildInfoAnswer.parse(await get("/api/status/buildinfo"));
});

describe("traces found", () => {
  test.each([
    // Its form.
    [search("{}")],
    [search('{resource.service.name="shop"}')],
    [search('{resource.service.name="shop" && name="GET /a b"}')],
    [search('{resource.service.name=~"shop|other" && duration>10ms && duration<1h}')],
    [search("{status=error}")],
    [search("{kind=client}", { spss: 10 })],
    [search('{span.http.status_code=500 && span.http.url=~".*cart.*|.*Cart"}')],
    [search("{.cached=false && span.ratio<1.0}")],
    [search("{nestedSetParent<0 && true && resource.service.name != nil} | select(status, span.http.url)")],
    [search('{rootServiceName="shop" && rootName != ""}')],
    // People.
    [search('{ resource.service.name = "shop" } >> { resource.service.name = "stock" }')],
    [search("{ } | count() > 1")],
    [search("{ } | by(resource.service.name) | avg(duration) > 0ms")],
    [search("{ } | by(span.nothing) | count() > 0")],
    [search("{ span:duration > 1ms } | select(span.http.url, status)")],
    [native('service.name="shop"')],
    [native(' service.name="shop" name="GET /a b"')],
    [native("http.status_code=500 error=true", { minDuration: "1ms", maxDuration: "10s" })],
    [native("http.url=cart")],
    [`/api/search?${query({ limit: 20, ...range })}`],
  ])("%s", async (path) => {
    const { traces } = searchAnswer.parse(await get(path));
    expect(traces.map(({ traceID }) => traceID)).toEqual([sampleTraceId]);
    const [trace] = traces;
    expect(trace).toMatchObject({ rootServiceName: "shop", rootTraceName: "GET /a b", durationMs: 20 });
    expect(trace?.spanSets?.[0]?.spans.length).toBeGreaterThan(0);
  });

  test.each([
    [search('{resource.service.name="none"}')],
    [search("{duration>1h}")],
    [native("service.name=none")],
    [native("", { minDuration: "1h" })],
    [search("{}", { start: 1, end: 2 })],
  ])("none: %s", async (path) => {
    expect(searchAnswer.parse(await get(path)).traces).toEqual([]);
  });

  test("attributes that the query names", async () => {
    const found = searchAnswer.parse(await get(search("{ span.http.status_code = 500 } | select(status)")));
    const attributes = found.traces[0]?.spanSets?.[0]?.spans[0]?.attributes;
    expect(attributes).toEqual(
      expect.arrayContaining([
        { key: "service.name", value: { stringValue: "shop" } },
        { key: expect.stringContaining("http.status_code"), value: { intValue: "500" } },
        { key: "status", value: { stringValue: "error" } },
      ]),
    );
  });
});

describe("a trace, by version 2 and then, where that is not known, by version 1", () => {
  test.each([
    [`/api/v2/traces/${sampleTraceId}`],
    [`/api/v2/traces/${sampleTraceId}?start=${range.start}&end=${range.end}`],
    [`/api/traces/${sampleTraceId}`],
    [`/api/traces/${sampleTraceId}?start=${range.start}&end=${range.end}`],
  ])("%s", async (path) => {
    const response = await fetch(`${server.base}/tempo${path}`, {
      headers: { accept: "application/protobuf" },
    });
    expect(response.status).toBe(200);
    const bytes = Buffer.from(await response.arrayBuffer());
    // The trace is field 1 of the answer of version 2, here shorter than 2^14 bytes.
    const trace = path.startsWith("/api/v2/") ? bytes.subarray(3) : bytes;
    expect(decodeTraces(trace)).toHaveLength(2);
  });

  test("one that is not there", async () => {
    const headers = { accept: "application/protobuf" };
    const found = await fetch(`${server.base}/tempo/api/v2/traces/ffff`, { headers });
    // The trace in field 1 is there: what it has is looked at without a question.
    expect([found.status, [...new Uint8Array(await found.arrayBuffer())]]).toEqual([200, [0x0a, 0]]);
    expect((await fetch(`${server.base}/tempo/api/traces/ffff`, { headers })).status).toBe(404);
  });
});

test.each<[path: string, answer: z.ZodType, text: string]>([
  [`/api/v2/search/tags?${query({ limit: 5_000 })}`, tagsV2Answer, "http.status_code"],
  [`/api/v2/search/tags?${query({ limit: 5_000, ...range })}`, tagsV2Answer, "service.name"],
  [`/api/v2/search/tags?${query({ q: "{kind=client}", ...range, scope: "span" })}`, tagsV2Answer, "["],
  ["/api/search/tags", tagsAnswer, "http.status_code"],
  [values("resource.service.name"), tagValuesV2Answer, "stock"],
  [values(".service.name"), tagValuesV2Answer, "stock"],
  [values("span.http.status_code", range), tagValuesV2Answer, "500"],
  [values("status"), tagValuesV2Answer, "error"],
  [values("kind"), tagValuesV2Answer, "client"],
  [values("name", { q: '{resource.service.name="stock" && name=""}' }), tagValuesV2Answer, "["],
  [values("name", { q: '{resource.service.name="stock" && }' }), tagValuesV2Answer, "read"],
  [
    values("name", { q: '{resource.service.name=~"stock|other" && duration<1h && }' }),
    tagValuesV2Answer,
    "read",
  ],
  [values("rootServiceName"), tagValuesV2Answer, "shop"],
  ["/api/search/tag/service.name/values", tagValuesAnswer, "shop"],
  ["/api/search/tag/name/values", tagValuesAnswer, "read"],
])("completion: %s", async (path, answer, text) => {
  expect(JSON.stringify(answer.parse(await get(path)))).toContain(text);
});

test("the values of every column that its schema lists", async () => {
  const { scopes } = tagsV2Answer.parse(await get(`/api/v2/search/tags?${query({ limit: 5_000 })}`));
  const columns = scopes.flatMap(({ name, tags }) =>
    tags.map((tag) => (name === "intrinsic" ? tag : `${name}.${tag}`)),
  );
  expect(columns).toEqual(expect.arrayContaining(["span.http.url", "resource.service.name", "duration"]));
  const found = await Promise.all(
    columns.map(async (column) => tagValuesV2Answer.parse(await get(values(column, range)))),
  );
  const urls = found[columns.indexOf("span.http.url")]?.tagValues;
  expect(urls).toEqual([{ type: "string", value: "http://shop/Cart" }]);
});

describe("metrics", () => {
  test.each([
    [overTime("{} | rate()", { step: "60s" })],
    [overTime("{} | rate() by (resource.service.name)", { step: "15", exemplars: 10 })],
    [overTime("{status=error} | count_over_time() by (name, status)")],
    [overTime("{} | quantile_over_time(duration, .5, .99) by (span.http.status_code)", { step: "5m" })],
    [overTime("{} | histogram_over_time(duration)")],
    [overTime("{} | max_over_time(duration)")],
    [overTime("{} | rate() by (span.nothing)")],
    // A comparison.
    [overTime("{nestedSetParent<0 && true} | compare({status = error}, 10)", { step: "60s", exemplars: 0 })],
    [overTime("{nestedSetParent<0 && status=error} | rate() by(resource.service.name) | topk(5)")],
  ])("%s", async (path) => {
    const { series } = rangeAnswer.parse(await get(path));
    expect(series.length).toBeGreaterThan(0);
    const samples = series.flatMap((one) => one.samples);
    expect(samples.some(({ value }) => typeof value === "number" && value > 0)).toBe(true);
    for (const { exemplars = [] } of series) {
      for (const { labels } of exemplars) {
        expect(labels).toContainEqual({ key: "trace:id", value: { stringValue: sampleTraceId } });
      }
    }
  });

  test("at one time", async () => {
    const valuesOf = async (q: string) =>
      instantAnswer.parse(await get(instant(q))).series.map(({ labels, value }) => [labels[0]?.value, value]);
    expect(await valuesOf("{} | count_over_time()")).toEqual([[{ stringValue: "count_over_time" }, 2]]);
    const found = await valuesOf("{} | count_over_time() by (resource.service.name)");
    expect(found).toEqual([
      [{ stringValue: "shop" }, 1],
      [{ stringValue: "stock" }, 1],
    ]);
    const [[name, rate] = []] = await valuesOf("{} | rate()");
    expect(name).toEqual({ stringValue: "rate" });
    expect(rate).toBeCloseTo(2 / 3_601, 5);
    const [[, duration] = []] = await valuesOf('{name="GET /a b"} | max_over_time(duration)');
    expect(duration).toBeCloseTo(0.02);
  });
});

test.each([
  [search("{ .a = }"), /^invalid TraceQL query: parse error at line 1, col 8: /],
  [search("{ .a = 1 } | nonsense()"), /^invalid TraceQL query: parse error at line 1, col 14: /],
  [search("'; DROP TABLE spans"), /^invalid TraceQL query: parse error at line 1, col 1: /],
  [overTime("{} | rate() by ("), /^invalid TraceQL query: parse error at line 1, col \d+: /],
  [overTime("{}"), /^invalid TraceQL query: /],
  [overTime("{} | rate()", { step: "1ms" }), /^step of 1ms is too small/],
  [instant(""), /^invalid TraceQL query: q is required$/],
  [search("{}", { limit: 100_000 }), /limit/],
])("%s: 400, and words that it shows", async (path, message) => {
  const response = await fetch(`${server.base}/tempo${path}`);
  expect([response.status, await response.text()]).toEqual([400, expect.stringMatching(message)]);
});
