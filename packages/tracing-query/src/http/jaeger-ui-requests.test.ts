// The requests that jaeger-ui 2.20 sends from each of its pages, as a browser showed them, and what it reads of the answers.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { otlpSpan, sampleStore } from "../service/sample-store.ts";
import { openSampleServer, type SampleServer } from "../testing/sample-server.ts";

const traces = ["00000000000000000000000000abc001", "00000000000000000000000000abc002"];
const second = 1_000_000_000n;
const nowUnixMs = Date.now();
const startNano = BigInt(nowUnixMs) * 1_000_000n - 120n * second;
let server: SampleServer;

beforeAll(async () => {
  const spans = traces.flatMap((traceId, index) => [
    otlpSpan({ traceId, spanId: `a00000000000000${index}`, service: "front", startTimeUnixNano: startNano }),
    otlpSpan({
      ...{ traceId, spanId: `b00000000000000${index}`, parentSpanId: `a00000000000000${index}` },
      ...{ service: "cart", name: "cart.get", startTimeUnixNano: startNano },
      status: { code: index === 1 ? "error" : "unset", message: "" },
    }),
  ]);
  server = await openSampleServer(await sampleStore(spans));
});
afterAll(async () => {
  await server.stop(AbortSignal.timeout(1_000));
});

async function ask(path: string, params: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const answer = await fetch(`${server.base}${path}?${new URLSearchParams(params)}`);
  expect([path, answer.status]).toEqual([path, 200]);
  return await answer.json();
}

describe("its search", () => {
  const query = {
    "query.serviceName": "front",
    "query.startTimeMin": new Date(nowUnixMs - 3_600_000).toISOString(),
    "query.startTimeMax": new Date(nowUnixMs).toISOString(),
    "query.searchDepth": "20",
  };

  test("fills its fields", async () => {
    expect(await ask("/api/v3/services")).toEqual({ services: ["cart", "front"] });
    expect(await ask("/api/v3/operations", { service: "front" })).toEqual({
      operations: [{ name: "GET /", spanKind: "server" }],
    });
  });

  test("lists traces by their summaries", async () => {
    const { summaries } = (await ask("/api/v3/trace-summaries", query)) as { summaries: unknown[] };
    expect(summaries).toHaveLength(2);
    expect(summaries).toContainEqual({
      traceId: traces[1],
      rootServiceName: "front",
      rootOperationName: "GET /",
      minStartTimeUnixNano: String(startNano),
      maxEndTimeUnixNano: String(startNano + 1_500_000n),
      spanCount: 2,
      errorSpanCount: 1,
      services: [
        { name: "cart", spanCount: 1, errorSpanCount: 1 },
        { name: "front", spanCount: 1 },
      ],
    });
  });

  test("finds none by tags that no span of the service has", async () => {
    const tags = { ...query, "query.attributes": '{"error":"true"}' };
    expect(await ask("/api/v3/trace-summaries", tags)).toEqual({});
    const ofCart = { ...tags, "query.serviceName": "cart" };
    expect(await ask("/api/v3/trace-summaries", ofCart)).toMatchObject({
      summaries: [{ traceId: traces[1] }],
    });
  });
});

test("its pages of a trace, and of two compared, read the traces", async () => {
  for (const traceID of traces) {
    expect(await ask(`/api/traces/${traceID}`)).toMatchObject({
      // Their zero halves are left out, as in Jaeger.
      data: [{ traceID: traceID.slice(16), spans: [{}, {}], processes: {} }],
      errors: null,
    });
  }
});

test("its graph of services reads the dependencies", async () => {
  const range = { endTs: String(nowUnixMs), lookback: "604800000" };
  expect(await ask("/api/dependencies", range)).toMatchObject({
    data: [{ parent: "front", child: "cart", callCount: 2 }],
  });
});

test.each(["latencies", "calls", "errors"])("its Monitor reads %s, whole and by operation", async (kind) => {
  const params = {
    ...{ service: "cart", endTs: String(nowUnixMs), lookback: "3600000", quantile: "0.95" },
    ...{ ratePer: "600000", spanKind: "server", step: "60000" },
  };
  const whole = (await ask(`/api/metrics/${kind}`, params)) as { metrics: { labels: unknown[] }[] };
  expect(whole.metrics).toMatchObject([{ labels: [{ name: "service_name", value: "cart" }] }]);
  expect(whole.metrics[0]).toHaveProperty("metricPoints");
  const byOperation = await ask(`/api/metrics/${kind}`, { ...params, groupByOperation: "true" });
  expect(JSON.stringify(byOperation)).toContain('{"name":"operation","value":"cart.get"}');
});
