// The requests that Grafana's Jaeger data source makes, in the shapes that its source builds them, and its parser's demands
// on the answers.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { z } from "zod";
import { otlpSpan, sampleStore, sampleTraceId } from "../service/sample-store.ts";
import {
  dependenciesAnswer,
  failureV3Answer,
  namesAnswer,
  operationsV3Answer,
  searchAnswer,
  servicesV3Answer,
  traceAnswer,
  tracesV3Answer,
} from "../testing/grafana/jaeger-answers.ts";
import { openSampleServer, type SampleServer } from "../testing/sample-server.ts";

let server: SampleServer;
beforeAll(async () => {
  const root = otlpSpan({
    name: "GET /a b",
    status: { code: "error", message: "broken" },
    attributes: [
      { key: "http.status_code", value: { type: "int", value: 500n } },
      { key: "ratio", value: { type: "double", value: 0.5 } },
      { key: "cached", value: { type: "bool", value: false } },
    ],
  });
  const child = otlpSpan({
    ...{ service: "stock", spanId: "00000000000000b2", parentSpanId: root.spanId, name: "read" },
    events: [
      {
        timeUnixNano: root.startTimeUnixNano,
        name: "retry",
        attributes: [{ key: "attempt", value: { type: "int", value: 2n } }],
        droppedAttributesCount: 0,
      },
    ],
  });
  server = await openSampleServer(await sampleStore([root, child]));
});
afterAll(() => server.stop(AbortSignal.abort()));

const nowMs = Date.now();
const hourMs = 3_600_000;
/** Go's url.Values: sorted, spaces as `+`. */
const encoded = (params: Record<string, string | number>) =>
  new URLSearchParams(
    Object.entries(params)
      .map(([key, value]): [string, string] => [key, String(value)])
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  ).toString();

const search = (params: Record<string, string | number>) =>
  `/api/traces?${encoded({ start: (nowMs - hourMs) * 1_000, end: nowMs * 1_000, limit: 20, ...params })}`;

/** The times stand in the address as they are: `:` and `+` included. */
const times = (start: string, end: string) => `&query.start_time_min=${start}&query.start_time_max=${end}`;
const [from, to] = [nowMs - hourMs, nowMs + 1_000].map((ms) => new Date(ms).toISOString());

test.each<[name: string, path: string, answer: z.ZodType, found: number]>([
  ["services", "/api/services", namesAnswer, 2],
  ["operations", "/api/services/shop/operations", namesAnswer, 1],
  [
    "operations, as its frontend asked",
    `/api/services/shop/operations?start=${(nowMs - hourMs) * 1_000}&end=${nowMs * 1_000}`,
    namesAnswer,
    1,
  ],
  ["a search", search({ service: "shop" }), searchAnswer, 1],
  ["a search for an operation", search({ service: "shop", operation: "GET /a b" }), searchAnswer, 1],
  [
    "a search with all that the form has",
    search({
      service: "shop",
      operation: "GET /a b",
      tags: '{"error":"true","http.status_code":"500"}',
      minDuration: "1ms",
      maxDuration: "2.5s",
    }),
    searchAnswer,
    1,
  ],
  ["a search that finds nothing", search({ service: "none" }), searchAnswer, 0],
  ["a search, as its frontend asked", `${search({ service: "shop" })}&lookback=custom`, searchAnswer, 1],
  ["a trace", `/api/traces/${sampleTraceId}`, traceAnswer, 1],
  [
    "a trace with times",
    `/api/traces/${sampleTraceId}?${encoded({ start: (nowMs - hourMs) * 1_000, end: nowMs * 1_000 })}`,
    traceAnswer,
    1,
  ],
  ["dependencies", `/api/dependencies?${encoded({ endTs: nowMs, lookback: hourMs })}`, dependenciesAnswer, 1],
])("%s: %s", async (_name, path, answer, found) => {
  const response = await fetch(server.base + path);
  expect(response.status).toBe(200);
  const { data } = answer.parse(await response.json()) as { data: unknown[] };
  expect(data).toHaveLength(found);
});

test.each<[path: string, answer: z.ZodType]>([
  ["/api/v3/services", servicesV3Answer],
  ["/api/v3/operations?service=shop", operationsV3Answer],
  [`/api/v3/traces?query.service_name=shop${times(from ?? "", to ?? "")}`, tracesV3Answer],
  [
    `/api/v3/traces?${encoded({
      "query.service_name": "shop",
      "query.operation_name": "GET /a b",
      "query.attributes": '{"error":"true"}',
      "query.duration_min": "1ms",
      "query.duration_max": "2s",
    })}${times(from ?? "", to ?? "")}`,
    tracesV3Answer,
  ],
  [`/api/v3/traces/${sampleTraceId}`, tracesV3Answer],
  [`/api/v3/traces/${sampleTraceId}?start_time=${from}&end_time=${to}`, tracesV3Answer],
])("version 3: %s", async (path, answer) => {
  const response = await fetch(server.base + path);
  expect(response.status).toBe(200);
  const parsed = answer.parse(await response.json());
  expect(JSON.stringify(parsed)).toMatch(/shop|GET/);
});

test.each([
  ["/api/traces/ffff", 404],
  ["/api/traces/xyz", 400],
  [search({ service: "shop", minDuration: "5" }), 400],
  [search({ service: "shop", tags: "{" }), 400],
  [search({}), 400],
])("%s: %d, which it shows", async (path, status) => {
  expect((await fetch(server.base + path)).status).toBe(status);
});

test("a failure of version 3 says what is wrong", async () => {
  const response = await fetch(`${server.base}/api/v3/traces?query.service_name=shop`);
  const { error } = failureV3Answer.parse(await response.json());
  expect(error).toEqual({ httpCode: 400, message: expect.stringContaining("query.start_time_min") });
});
