import { afterAll, beforeAll, expect, test } from "vitest";
import { otlpSpan, sampleStore } from "../../service/sample-store.ts";
import { openSampleServer, type SampleServer } from "../../testing/sample-server.ts";

const startUs = (Math.floor(Date.now() / 60_000) - 10) * 60_000_000;
const string = (key: string, value: string) => ({ key, value: { type: "string", value } }) as const;
const nanoOf = (second: number) => BigInt(startUs + second * 1_000_000) * 1_000n;
let spans = 0;

function span(second: number, fields: Partial<Parameters<typeof otlpSpan>[0]>) {
  spans += 1;
  const spanId = spans.toString(16).padStart(16, "0");
  return otlpSpan({ spanId, traceId: spanId.repeat(2), startTimeUnixNano: nanoOf(second), ...fields });
}

function thrown(second: number, type: string, message: string) {
  const attributes = type === "" ? [] : [string("exception.type", type)];
  return {
    timeUnixNano: nanoOf(second),
    name: "exception",
    attributes: [...attributes, string("exception.message", message)],
    droppedAttributesCount: 0,
  };
}

let server: SampleServer;
beforeAll(async () => {
  const get = string("http.method", "GET");
  const failed = { code: "error", message: "" } as const;
  server = await openSampleServer(
    await sampleStore([
      span(1, { attributes: [get], durationNano: 1_000_000n }),
      span(2, { attributes: [get], durationNano: 1_000_000n, status: failed }),
      span(3, { attributes: [string("http.method", 'P"T')], durationNano: 9_000_000n }),
      span(4, { service: "stock", events: [thrown(4, "Declined", "card 17 was declined")] }),
      span(100, {
        events: [thrown(100, "Declined", "card 18 was declined"), thrown(101, "Timeout", "no answer")],
      }),
      span(200, { events: [thrown(200, "Timeout", "no answer")] }),
      span(300, { events: [thrown(300, "", "plain")] }),
      span(301, { events: [{ ...thrown(301, "Declined", "a log"), name: "log" }] }),
    ]),
  );
});
afterAll(() => server.stop(AbortSignal.abort()));

async function get(path: string): Promise<[status: number, body: unknown]> {
  const range = `start=${startUs}&end=${startUs + 600_000_000}`;
  const response = await fetch(`${server.base}/api/analysis/v1/${path}&${range}`);
  return [response.status, await response.json()];
}

test.each([
  ["by=span.http.method", 3, [null, "GET", 'P"T']],
  ["by=span.http.method&order=value", 3, [null, "GET", 'P"T']],
  ["by=span.http.method&order=p95&limit=1", 3, ['P"T']],
  ["by=span.http.method&order=errors&limit=1", 3, ["GET"]],
  ["by=span.http.method&limit=1&offset=2", 3, ['P"T']],
  ["by=span.http.method&contains=g", 1, ["GET"]],
  ["by=resource.service.name&q={status=error}", 1, ["shop"]],
  ["by=resource.service.name&q={}|{status=error}", 1, ["shop"]],
  ["by=status", 2, ["unset", "error"]],
  ["by=span.none", 1, [null]],
])("groups %s", async (query, total, values) => {
  const [status, body] = await get(`groups?${encodeURI(query)}`);
  expect([status, body]).toMatchObject([200, { total, truncated: false }]);
  expect((body as { groups: { value: string | null }[] }).groups.map(({ value }) => value)).toEqual(values);
});

test("a group has its spans, failures and durations", async () => {
  const [, body] = await get("groups?by=span.http.method&contains=GET");
  const [group] = (body as { groups: Record<string, number>[] }).groups;
  expect(group).toMatchObject({ value: "GET", type: "string", spans: 2, errors: 1 });
  expect(Math.abs((group?.p50 ?? 0) - 1_000)).toBeLessThan(100);
  expect(Math.max(group?.p50 ?? 0, group?.p95 ?? 0)).toBeLessThanOrEqual(1_000);
});

test.each([
  ["groups?by=span.", "'by' is not one attribute"],
  ["groups?by=name,kind", "'by' is not one attribute"],
  ["groups?by=name)|topk(1", "'by' is not one attribute"],
  ["groups?by=name&q={oops}", "invalid TraceQL query: parse error at line 1, col 2"],
  ["groups?by=name&q={}|rate()", "invalid TraceQL query"],
  ["groups?q={}", "'by' is required"],
  ["exceptions?order=size", "'order' is wrong"],
])("%s is refused", async (path, text) => {
  const [status, body] = await get(encodeURI(path));
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(text)]);
});

const declined = ["Declined", "card <number> was declined", 2];
const timeout = ["Timeout", "no answer", 2];
const plain = ["(no type)", "plain", 1];
test.each([
  ["", 3, [declined, timeout, plain]],
  ["order=last", 3, [plain, timeout, declined]],
  ["order=first&limit=2", 3, [plain, timeout]],
  ["limit=1&offset=1", 3, [timeout]],
  ["contains=CARD", 1, [declined]],
  ["service=stock", 1, [["Declined", "card 17 was declined", 1]]],
  ['service="}', 0, []],
])("exceptions %s", async (query, total, groups) => {
  const [status, body] = await get(`exceptions?${encodeURI(query)}`);
  expect([status, body]).toMatchObject([200, { total, truncated: false }]);
  const found = (body as { groups: { type: string; template: string; count: number }[] }).groups;
  expect(found.map(({ type, template, count }) => [type, template, count])).toEqual(groups);
});

test("a group of exceptions has its trend, its services, its times and example traces", async () => {
  const [, body] = await get("exceptions?contains=declined");
  const { start, step, groups } = body as { start: number; step: number; groups: unknown[] };
  const at = (second: number) => Math.floor((startUs + second * 1e6 - 1 - start) / step);
  expect(groups).toEqual([
    {
      ...{ type: "Declined", template: "card <number> was declined", count: 2 },
      services: [
        { name: "shop", count: 1 },
        { name: "stock", count: 1 },
      ],
      ...{ first: startUs + 4e6, last: startUs + 100e6 },
      curve: [
        [at(4), 1],
        [at(100), 1],
      ],
      examples: [
        { traceID: expect.stringMatching(/^0{15}5/), spanID: "0000000000000005", time: startUs + 100e6 },
        { traceID: expect.stringMatching(/^0{15}4/), spanID: "0000000000000004", time: startUs + 4e6 },
      ],
    },
  ]);
});
