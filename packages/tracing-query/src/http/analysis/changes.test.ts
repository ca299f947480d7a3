import { afterAll, beforeAll, expect, test } from "vitest";
import { otlpSpan, sampleStore } from "../../service/sample-store.ts";
import { openSampleServer, type SampleServer } from "../../testing/sample-server.ts";

const startUs = (Math.floor(Date.now() / 60_000) - 30) * 60_000_000;
const string = (key: string, value: string) => ({ key, value: { type: "string", value } }) as const;
const ms = 1_000_000n;

/** Forty traces of a version: `GET /` of shop calls `SELECT`, and in version 2 a slow `charge` of pay as well. */
function traces(version: string, fromUs: number) {
  return Array.from({ length: 40 }, (_, index) => {
    const traceId = `${version}${index.toString(16).padStart(3, "0")}`.padStart(32, "a");
    const resourceAttributes = [string("service.version", version)];
    const isSlow = version === "2" && index % 2 === 0;
    const at = { traceId, startTimeUnixNano: BigInt(fromUs + index * 1_000_000) * 1_000n };
    const id = (part: string) => `${part}${index.toString(16)}`.padStart(16, "0");
    return [
      otlpSpan({
        ...{ ...at, resourceAttributes, spanId: id("1") },
        durationNano: (isSlow ? 50n : 10n) * ms,
        attributes: [string("region", isSlow ? "eu" : "us"), string("same", "1")],
        ...(index < 10 && version === "2" ? { status: { code: "error", message: "" } as const } : {}),
      }),
      otlpSpan({
        ...{
          ...at,
          spanId: id("2"),
          parentSpanId: id("1"),
          name: "SELECT",
          kind: "client",
          durationNano: 2n * ms,
        },
      }),
      ...(isSlow
        ? [
            otlpSpan({
              ...at,
              spanId: id("3"),
              parentSpanId: id("1"),
              service: "pay",
              name: "charge",
              durationNano: 40n * ms,
            }),
          ]
        : []),
    ];
  }).flat();
}

let server: SampleServer;
beforeAll(async () => {
  const spans = [...traces("2", startUs + 600_000_000), ...traces("1", startUs)];
  server = await openSampleServer(await sampleStore(spans));
});
afterAll(() => server.stop(AbortSignal.abort()));

interface Answer {
  readonly a: { readonly spans: number; readonly p95: number };
  readonly durations: readonly (readonly [number, number, number])[];
  readonly operations: readonly unknown[];
  readonly sample: { readonly a: { readonly spans: number } };
  readonly attributes: readonly { readonly key: string; readonly value: string }[];
  readonly calls: { readonly rows: readonly unknown[] };
}

async function changes(body: unknown) {
  const response = await fetch(`${server.base}/api/analysis/v1/changes`, {
    method: "POST",
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Answer };
}

const now = { start: startUs + 600_000_000, end: startUs + 1_200_000_000 };
const before = { start: startUs, end: startUs + 600_000_000 };
const requests = { service: "shop", operation: "GET /" };

test("a time before another: what is slower, by how much, and what explains it", async () => {
  const { status, body } = await changes({ a: { ...requests, ...now }, b: { ...requests, ...before } });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    a: { spans: 40, errors: 10, mean: 30_000, longest: 50_000 },
    b: { spans: 40, errors: 0, mean: 10_000, longest: 10_000 },
    ...{ isSlower: true, failsMore: true },
    operations: [{ service: "shop", operation: "GET /", kind: "server", change: 20_000, isSlower: true }],
    sample: { a: { spans: 40, isEstimate: false }, b: { spans: 40, isEstimate: false } },
  });
  expect(body.a.p95).toBeLessThanOrEqual(50_000);
  const counted = [1, 2].map((side) => body.durations.reduce((sum, row) => sum + (row[side] ?? 0), 0));
  expect(counted).toEqual([40, 40]);
  const value = (key: string, wanted: string) =>
    body.attributes.find((one) => one.key === key && one.value === wanted);
  expect(value("region", "eu")).toMatchObject({ explains: 1, isSignificant: true, b: { spans: 0 } });
  expect(value("service.version", "2")).toMatchObject({
    place: "resource",
    a: { spans: 40 },
    b: { spans: 0 },
  });
  expect(value("same", "1")).toBeUndefined();
  expect(body.calls).toMatchObject({ tracesA: 40, tracesB: 40 });
  expect(body.calls.rows).toEqual([
    {
      ...{ service: "pay", operation: "charge", kind: "server", b: null },
      a: { calls: 20, errors: 0, perTrace: 0.5, mean: 40_000, timePerTrace: 20_000 },
    },
    expect.objectContaining({ operation: "SELECT", a: expect.objectContaining({ perTrace: 1 }) }),
  ]);
});

test("a version beside another, by tags and by TraceQL; and both ways round", async () => {
  const whole = { start: before.start, end: now.end };
  const of = (version: string) => ({ ...requests, ...whole, tags: { "service.version": version } });
  expect((await changes({ a: of("1"), b: of("2") })).body).toMatchObject({
    ...{ a: { spans: 40, mean: 10_000 }, b: { spans: 40, mean: 30_000 }, isSlower: true },
    operations: [{ change: -20_000 }],
  });
  const q = '{ resource.service.version = "2" }';
  const { body } = await changes({ a: { ...whole, q }, b: { ...whole }, limit: 1, traces: 5 });
  expect(body).toMatchObject({ a: { spans: 40 }, calls: null });
  expect([body.operations.length, body.attributes.length]).toEqual([1, 1]);
});

test("few spans say nothing, and none are no failure", async () => {
  const few = { ...now, end: now.start + 10_000_000 };
  const { body } = await changes({ a: { ...requests, ...few }, b: { ...requests, ...before } });
  expect(body).toMatchObject({ a: { spans: 10 }, isSlower: null, failsMore: null });
  const region = body.attributes.find(({ value }) => value === "eu");
  expect(region).toMatchObject({ explains: 0, isSignificant: null });
  const none = await changes({ a: { ...now, service: "nobody" }, b: { ...before, service: "nobody" } });
  expect(none.body).toMatchObject({
    a: { spans: 0 },
    operations: [],
    attributes: [],
    calls: { tracesA: 0, rows: [] },
  });
});

test("a sample is called one", async () => {
  const { body } = await changes({ a: { ...requests, ...now }, b: { ...requests, ...before }, maxSpans: 20 });
  expect(body.a.spans).toBe(40);
  expect(body.sample.a).toMatchObject({ isEstimate: true });
  expect(body.sample.a.spans).toBeLessThan(40);
});

test.each([
  [{}, "'a' is required"],
  [{ a: {}, b: {}, limit: 0 }, "'limit' is less than the minimum of 1"],
  [{ a: {}, b: { start: 2, end: 1 } }, "'b.end' is not after 'b.start'"],
  [{ a: { kind: "x" }, b: {} }, "'a.kind' is wrong"],
  [{ a: { q: "{ } | rate()" }, b: {} }, "'a.q' is a query of metrics"],
  [{ a: {}, b: {}, c: {} }, "'c' is not known here"],
])("%j is refused", async (body, text) => {
  const answer = await changes(body);
  expect([answer.status, JSON.stringify(answer.body)]).toEqual([400, expect.stringContaining(text)]);
});
