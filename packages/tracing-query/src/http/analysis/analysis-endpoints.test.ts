import { connect } from "node:net";
import { unsupported } from "storage/api";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { RequestGate } from "../../service/request-gate.ts";
import { sampleStore } from "../../service/sample-store.ts";
import { openSampleServer, type SampleServer } from "../../testing/sample-server.ts";
import { sampleTenants } from "../../testing/sample-service.ts";
import { rootSpanId, sampleStartMs, sampleTraceId, sampleTraces } from "../../testing/sample-traces.ts";

const api = "/api/analysis/v1";
const startUs = sampleStartMs * 1_000;
const secondUs = 1_000_000;

describe("over two traces", () => {
  let server: SampleServer;
  beforeAll(async () => {
    server = await openSampleServer(await sampleStore(sampleTraces));
  });
  afterAll(() => server.stop(AbortSignal.abort()));

  async function get(path: string): Promise<unknown> {
    const response = await fetch(server.base + api + path);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json"]);
    return await response.json();
  }

  test("heat map: cells of whole microseconds, half open", async () => {
    const range = `start=${startUs}&end=${startUs + 20 * secondUs}`;
    expect(await get(`/heatmap?${range}&columns=2`)).toEqual({
      start: startUs,
      end: startUs + 20 * secondUs,
      columns: 2,
      columnWidth: 10 * secondUs,
      spans: 5,
      errors: 1,
      cells: [
        [0, 24, 1, 0],
        [0, 25, 1, 1],
        [0, 26, 1, 0],
        [1, 22, 1, 0],
        [1, 24, 1, 0],
      ],
    });
    expect(await get(`/heatmap?start=${startUs}&end=${startUs + 10 * secondUs}&columns=3`)).toMatchObject({
      columnWidth: 3_333_334,
      end: startUs + 10 * secondUs + 2,
      spans: 4,
    });
    expect(await get(`/heatmap?start=${startUs}&end=${startUs + 10 * secondUs}&columns=1`)).toMatchObject({
      spans: 3,
    });
  });

  test.each([
    ["service=db", 3],
    ["service=db&error=true", 1],
    ["service=db&error=false", 2],
    ["kind=client", 3],
    ["operation=GET%20/", 2],
    ["tag=region:west", 1],
    ["tags=%7B%22region%22%3A%22east%22%7D", 1],
    ["tag=region:east&tag=nothing:x", 0],
    ["minDuration=30ms", 3],
    ["minDuration=30ms&maxDuration=50ms", 2],
    ["minDuration=16777216ns&maxDuration=33554431ns", 2],
    ["service=", 5],
  ])("filter %s finds %d spans", async (filter, spans) => {
    expect(await get(`/heatmap?${filter}`)).toMatchObject({ spans });
  });

  test("comparison: by POST and by GET", async () => {
    const found = {
      selectedSpans: 1,
      otherSpans: 1,
      differences: expect.arrayContaining([
        { place: "span", key: "region", value: "west", selected: 1, others: 0 },
        { place: "span", key: "region", value: "east", selected: 0, others: 1 },
      ]),
    };
    const response = await fetch(`${server.base}${api}/compare`, {
      method: "POST",
      body: JSON.stringify({
        selection: { service: "shop", minDuration: "50ms" },
        background: { service: "shop" },
      }),
    });
    expect(await response.json()).toEqual(found);
    expect(await get("/compare?service=shop&selection.minDuration=50ms")).toEqual(found);
    expect(await get("/compare?service=shop&selection.tag=region:west&limit=1")).toMatchObject({
      differences: [expect.anything()],
    });
    const q = (text: string) => encodeURIComponent(text);
    const west = q('{ resource.service.name = "shop" && duration >= 50ms }');
    expect(await get(`/compare?service=shop&selection.q=${west}`)).toEqual(found);
    expect(
      await get(`/compare?q=${q('{ resource.service.name = "shop" }')}&selection.minDuration=50ms`),
    ).toEqual(found);
  });

  test("percentile of a duration", async () => {
    const of = (more: string) => get(`/percentiles?service=db&operation=SELECT&${more}`);
    expect(await of("duration=30ms")).toEqual({
      peers: 3,
      percentile: 2 / 3,
      median: 30_000,
      p95: 50_000,
      p99: 50_000,
    });
    expect(await of("duration=30ms&kind=server")).toEqual({
      ...{ peers: 0, percentile: null, median: null, p95: null, p99: null },
    });
  });

  test("percentiles of a trace", async () => {
    const { operations, spans, ...rest } = (await get(`/percentiles/${sampleTraceId}`)) as {
      operations: unknown[];
      spans: [string, number, number][];
    };
    // Spans of the same seconds are peers, also when a minute ends between them.
    const end = (Math.floor(sampleStartMs / 60_000) + 2) * 60_000_000;
    expect(rest).toEqual({ traceID: sampleTraceId, start: end - 3_600 * secondUs, end });
    expect(operations).toEqual([
      expect.objectContaining({ service: "shop", operation: "GET /", kind: "server" }),
      expect.objectContaining({ service: "db", operation: "SELECT", kind: "client" }),
    ]);
    expect(spans.map(([id, operation]) => [id, operation])).toEqual([
      [rootSpanId, 0],
      ["00000000000000a2", 1],
      ["00000000000000a3", 1],
    ]);
    expect(spans[0]?.[2]).toBe(1);
    expect(spans[2]?.[2]).toBe(1);
    const long = await get(
      `/percentiles/beef?start=${startUs - 60 * secondUs}&end=${startUs - 59 * secondUs}`,
    );
    expect(long).toMatchObject({
      traceID: "000000000000beef",
      spans: [
        ["00000000000000b1", 0, null],
        ["00000000000000b2", 1, null],
      ],
    });
  });

  test("top operations", async () => {
    expect(await get("/operations/top?limit=1")).toEqual({
      operations: [
        {
          ...{ service: "shop", operation: "GET /", kind: "server", calls: 2, errors: 0, duration: 120_000 },
          ...{ median: expect.any(Number), p95: expect.any(Number), p99: expect.any(Number) },
        },
      ],
    });
    expect(await get("/operations/top?service=db&order=errors")).toMatchObject({
      operations: [{ service: "db", errors: 1 }],
    });
  });

  test("critical path of a trace", async () => {
    expect(await get(`/critical-path/${sampleTraceId}`)).toEqual({
      traceID: sampleTraceId,
      start: startUs,
      duration: 100_000,
      spans: [
        { spanID: "00000000000000a3", service: "db", operation: "SELECT", selfTime: 50_000 },
        { spanID: "00000000000000a2", service: "db", operation: "SELECT", selfTime: 30_000 },
        { spanID: rootSpanId, service: "shop", operation: "GET /", selfTime: 20_000 },
      ],
      sections: [
        [2, 0, 10_000],
        [1, 10_000, 30_000],
        [0, 40_000, 50_000],
        [2, 90_000, 10_000],
      ],
    });
  });

  test("critical path of a search", async () => {
    expect(await get("/critical-path?service=shop")).toEqual({
      traces: 2,
      duration: 120_000,
      operations: [
        { service: "db", operation: "SELECT", duration: 85_000, traces: 2 },
        { service: "shop", operation: "GET /", duration: 35_000, traces: 2 },
      ],
    });
  });

  test("diff of two traces", async () => {
    expect(await get(`/diff?a=${sampleTraceId}&b=beef`)).toEqual({
      a: { traceID: sampleTraceId, traces: 1, spans: 3, duration: 100_000 },
      b: { traceID: "000000000000beef", traces: 1, spans: 2, duration: 20_000 },
      nodes: [
        {
          parent: null,
          service: "shop",
          operation: "GET /",
          a: { count: 1, errors: 0, duration: 100_000, selfTime: 20_000, spanIDs: [rootSpanId] },
          b: { count: 1, errors: 0, duration: 20_000, selfTime: 15_000, spanIDs: ["00000000000000b1"] },
        },
        {
          parent: 0,
          service: "db",
          operation: "SELECT",
          a: {
            ...{ count: 2, errors: 1, duration: 80_000, selfTime: 80_000 },
            spanIDs: expect.arrayContaining(["00000000000000a2", "00000000000000a3"]),
          },
          b: { count: 1, errors: 0, duration: 5_000, selfTime: 5_000, spanIDs: ["00000000000000b2"] },
        },
      ],
      ranked: [1, 0],
    });
  });

  test("diff of a trace and those like it", async () => {
    const range = `start=${startUs}&end=${startUs + 20 * secondUs}`;
    expect(await get(`/diff?a=${sampleTraceId}&${range}`)).toMatchObject({
      b: { traces: 1, spans: 2 },
      ranked: [1, 0],
    });
    expect(await get(`/diff?a=${sampleTraceId}&${range}&service=nobody`)).toMatchObject({
      b: { traces: 0, spans: 0, duration: 0 },
      nodes: [{ b: null }, { b: null }],
    });
  });

  const inQuery = (q: string) => `q=${encodeURIComponent(q)}`;
  const tenSeconds = `start=${startUs}&end=${startUs + 20 * secondUs}`;

  test.each([
    ["{ }", 5, 1],
    ['{ resource.service.name = "db" }', 3, 1],
    ['{ name = "SELECT" && duration > 20ms } // slow ones', 2, 1],
    ["{ status = error }", 1, 1],
    ["{ } | count() > 2", 3, 1],
    ['{ span.region = "west" } >> { }', 2, 1],
    ['{ name = "nothing" }', 0, 0],
  ])("heat map of %s", async (q, spans, errors) => {
    const map = await get(`/heatmap?${tenSeconds}&columns=2&${inQuery(q)}`);
    expect(map).toMatchObject({ spans, errors, columnWidth: 10 * secondUs });
  });

  test("heat map of a query: the same rows, columns at multiples of their width", async () => {
    const start = Math.floor(startUs / (10 * secondUs)) * 10 * secondUs - 10 * secondUs;
    const range = `start=${start}&end=${start + 60 * secondUs}&columns=6`;
    const plain = (await get(`/heatmap?${range}`)) as { start: number; cells: unknown };
    const ofQuery = (await get(`/heatmap?${range}&${inQuery("{ }")}`)) as {
      start: number;
      cells: number[][];
    };
    expect(ofQuery.start).toBe(plain.start);
    // A span that starts where a column does is in the one before.
    const rows = (cells: unknown) => {
      const sums = new Map<number, number>();
      for (const [, row = 0, spans = 0] of cells as number[][]) {
        sums.set(row, (sums.get(row) ?? 0) + spans);
      }
      return [...sums].sort();
    };
    expect(rows(ofQuery.cells)).toEqual(rows(plain.cells));
    const off = await get(
      `/heatmap?start=${start + 1}&end=${start + 60 * secondUs}&columns=6&${inQuery("{ }")}`,
    );
    expect(off).toMatchObject({ start, columns: 6, spans: 5 });
  });

  test("critical path and diff of a query", async () => {
    const west = inQuery('{ span.region = "west" }');
    expect(await get(`/critical-path?${west}`)).toMatchObject({ traces: 1, duration: 100_000 });
    const east = inQuery('{ span.region = "east" }');
    expect(await get(`/diff?a=${sampleTraceId}&${tenSeconds}&${east}`)).toMatchObject({
      b: { traces: 1, spans: 2, duration: 20_000 },
    });
    expect(await get(`/diff?a=${sampleTraceId}&${tenSeconds}&${west}`)).toMatchObject({ b: { traces: 0 } });
  });

  test.each([
    ["/heatmap", "{ duration > }", "q", "line 1, col"],
    ["/heatmap", "{ } | rate()", "q", "query of metrics"],
    ["/heatmap", "{ } with (most_recent=true)", "q", "takes no hints"],
    ["/heatmap?service=shop", "{ }", "service", "beside 'q'"],
    ["/heatmap?tag=a:b", "{ }", "tag", "beside 'q'"],
    ["/critical-path", "{ } | rate()", "q", "query of metrics"],
    ["/critical-path?minDuration=1s", "{ }", "minDuration", "beside 'q'"],
    [`/diff?a=${sampleTraceId}`, "{ nonsense }", "q", "line 1"],
    [`/diff?a=${sampleTraceId}&b=beef`, "{ }", "q", "of a search"],
    ["/critical-path", "x".repeat(8_193), "q", "longer than the maximum of 8192"],
  ])("%s with a query that cannot be taken: %s", async (path, q, parameter, words) => {
    const separator = path.includes("?") ? "&" : "?";
    const response = await fetch(`${server.base}${api}${path}${separator}${inQuery(q)}`);
    const problem = (await response.json()) as { parameter: string; detail: string };
    expect([response.status, problem.parameter]).toEqual([400, parameter]);
    expect(problem.detail).toContain(words);
  });

  test("capabilities", async () => {
    expect(await get("/capabilities")).toMatchObject({
      version: 1,
      endpoints: { heatmap: true, tail: true, traceql: true },
      limits: { maxTraces: 10_000, maxSpans: 1_000_000, maxTimeRange: null },
    });
  });

  test("prettyPrint", async () => {
    const text = await (await fetch(`${server.base}${api}/capabilities?prettyPrint=true`)).text();
    expect(text).toMatch(/^\{\n {4}"version": 1,/);
  });

  const injection = `' OR 1=1 --"\\;{a:String}`;

  test.each([
    ["service", `service=${encodeURIComponent(injection)}`],
    ["operation", `operation=${encodeURIComponent(injection)}`],
    ["tag", `tag=${encodeURIComponent(`${injection}:${injection}`)}`],
  ])("injection through %s finds nothing", async (_, filter) => {
    expect(await get(`/heatmap?${filter}`)).toMatchObject({ spans: 0 });
    expect(await get(`/compare?${filter}`)).toMatchObject({ selectedSpans: 0, otherSpans: 0 });
    expect(await get(`/critical-path?${filter}`)).toMatchObject({ traces: 0 });
  });

  test.each([
    ["/heatmap?columns=0", "columns", { name: "minimum", value: 1 }],
    ["/heatmap?columns=1001", "columns", { name: "maximum", value: 1_000 }],
    ["/heatmap?columns=ten", "columns", undefined],
    ["/heatmap?columns=1.5", "columns", undefined],
    ["/heatmap?colums=5", "colums", undefined],
    ["/heatmap?start=yesterday", "start", undefined],
    ["/heatmap?start=9000000000000001", "start", { name: "maximum", value: 9e15 }],
    [`/heatmap?start=5&end=5`, "end", undefined],
    ["/heatmap?minDuration=5", "minDuration", undefined],
    ["/heatmap?minDuration=-5s", "minDuration", undefined],
    ["/heatmap?minDuration=2s&maxDuration=1s", "maxDuration", undefined],
    ["/heatmap?error=maybe", "error", undefined],
    ["/heatmap?service=%zz", "service", undefined],
    ["/heatmap?kind=server&operation=a;b", "operation", undefined],
    ["/tail?service=%4", "service", undefined],
    ["/heatmap?kind=servant", "kind", undefined],
    ["/heatmap?tag=region", "tag", undefined],
    ["/heatmap?tags=region", "tags", undefined],
    ["/heatmap?tags=[1]", "tags", undefined],
    ["/heatmap?tags=%7B%22a%22%3A1%7D", "tags.a", undefined],
    ["/compare?selection.kind=x", "selection.kind", undefined],
    ["/compare?limit=0", "limit", { name: "minimum", value: 1 }],
    ["/compare?selection.tag=x", "selection.tag", undefined],
    ["/compare?selection.q={}|rate()", "selection.q", undefined],
    ["/compare?q={}|rate()", "q", undefined],
    ["/tail?q={}>{}", "q", undefined],
    ["/tail?q={}|rate()", "q", undefined],
    ["/percentiles?service=x&operation=y", "duration", undefined],
    ["/percentiles?operation=y&duration=1s", "service", undefined],
    ["/percentiles/zz", "traceId", undefined],
    ["/operations/top?order=name", "order", undefined],
    ["/critical-path?limit=201", "limit", { name: "maximum", value: 200 }],
    [`/critical-path/${sampleTraceId}?start=1`, "start", undefined],
    ["/diff", "a", undefined],
    ["/diff?a=xyz", "a", undefined],
    ["/diff?a=beef&b=beef&service=shop", "service", undefined],
    ["/tail?limit=5000", "limit", { name: "maximum", value: 1_000 }],
    ["/tail?start=1", "start", undefined],
  ])("%s is refused: %s", async (path, parameter, limit) => {
    const response = await fetch(server.base + api + path);
    expect([response.status, response.headers.get("content-type")]).toEqual([
      400,
      "application/problem+json",
    ]);
    const problem = (await response.json()) as { parameter: string; limit?: unknown; detail: string };
    expect(problem).toMatchObject({
      type: "about:blank",
      title: "Bad Request",
      status: 400,
      code: "QUERY_BAD_PARAMETER",
      parameter,
    });
    expect(problem.limit).toEqual(limit);
    expect(problem.detail).toContain(parameter);
  });

  test("a name that is too long is refused", async () => {
    const response = await fetch(`${server.base}${api}/heatmap?service=${"s".repeat(5_000)}`);
    expect([response.status, await response.json()]).toEqual([
      400,
      expect.objectContaining({ parameter: "service", limit: { name: "maxLength", value: 4_096 } }),
    ]);
  });

  test.each([
    ["not JSON", "{", "body"],
    ["no object", "[]", "body"],
    ["no selection", '{"background":{}}', "selection"],
    ["a field of a wrong type", '{"selection":{"start":"1"},"background":{}}', "selection.start"],
    ["an unknown field", '{"selection":{"servic":"x"},"background":{}}', "selection.servic"],
    ["times turned around", '{"selection":{},"background":{"start":5,"end":4}}', "background.end"],
  ])("a body with %s is refused", async (_, body, parameter) => {
    const response = await fetch(`${server.base}${api}/compare`, { method: "POST", body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ parameter });
  });

  test("a body of more than a megabyte is refused", async () => {
    const body = JSON.stringify({ padding: "x".repeat(1_100_000) });
    const response = await fetch(`${server.base}${api}/compare`, { method: "POST", body });
    expect([response.status, await response.json()]).toEqual([
      413,
      expect.objectContaining({ parameter: "body", limit: { name: "maxLength", value: 1_048_576 } }),
    ]);
  });

  test("what is not there", async () => {
    for (const path of ["/critical-path/1", "/percentiles/1", "/diff?a=1", "/diff?a=beef&b=1"]) {
      const response = await fetch(server.base + api + path);
      expect([response.status, await response.json()]).toEqual([
        404,
        expect.objectContaining({ code: "QUERY_TRACE_NOT_FOUND" }),
      ]);
    }
    const unknown = await fetch(`${server.base}${api}/nonsense`);
    expect([unknown.status, unknown.headers.get("content-type")]).toEqual([404, "application/problem+json"]);
    const method = await fetch(`${server.base}${api}/heatmap`, { method: "DELETE" });
    expect([method.status, method.headers.get("allow")]).toEqual([405, "GET"]);
    const both = await fetch(`${server.base}${api}/compare`, { method: "PUT" });
    expect([both.status, both.headers.get("allow")]).toEqual([405, "GET, POST"]);
  });
});

const engineQuestions = [
  "/heatmap",
  "/compare",
  "/percentiles?service=x&operation=y&duration=1s",
  `/percentiles/${sampleTraceId}`,
  "/operations/top",
  "/critical-path",
  "/tail",
];

test("a store without analysis: 501, but for what needs traces alone", async () => {
  const store = await sampleStore(sampleTraces);
  const server = await openSampleServer({ ...store, analysis: unsupported("no analysis here").analysis });
  onTestFinished(() => server.stop(AbortSignal.abort()));
  for (const path of engineQuestions) {
    const response = await fetch(server.base + api + path);
    expect([response.status, await response.json()]).toEqual([
      501,
      {
        ...{ type: "about:blank", title: "Not Implemented", status: 501 },
        ...{ detail: "no analysis here", code: "STORAGE_UNSUPPORTED" },
      },
    ]);
  }
  for (const path of [`/critical-path/${sampleTraceId}`, `/diff?a=${sampleTraceId}`]) {
    expect((await fetch(server.base + api + path)).status).toBe(200);
  }
  const capabilities = await fetch(`${server.base}${api}/capabilities`);
  expect(await capabilities.json()).toMatchObject({ endpoints: { heatmap: false, diff: true } });
});

test("options limit what may be asked", async () => {
  const limits = { maxTraces: 2, maxSpans: 2, maxRangeNano: 7_200_000_000_000n };
  const server = await openSampleServer(await sampleStore(sampleTraces), { limits });
  onTestFinished(() => server.stop(AbortSignal.abort()));
  const problem = async (path: string) => {
    const response = await fetch(server.base + api + path);
    return [response.status, await response.json()];
  };
  const range = { parameter: "start", limit: { name: "query.max-time-range", value: "2h" } };
  for (const path of ["/heatmap?", "/compare?selection.", "/operations/top?", "/critical-path?limit=1&"]) {
    expect(await problem(`${path}start=1`)).toEqual([400, expect.objectContaining(range)]);
  }
  expect(await problem("/critical-path?limit=3")).toEqual([
    400,
    expect.objectContaining({ parameter: "limit", limit: { name: "query.max-traces", value: 2 } }),
  ]);
  expect(await problem(`/diff?a=beef&limit=3`)).toEqual([
    400,
    expect.objectContaining({ parameter: "limit" }),
  ]);
  for (const path of [`/diff?a=${sampleTraceId}`, `/percentiles/${sampleTraceId}`]) {
    expect(await problem(path)).toEqual([
      413,
      expect.objectContaining({ limit: { name: "query.max-spans", value: 2 } }),
    ]);
  }
});

test("tenants: each sees its own, and none is a problem", async () => {
  const store = await sampleStore(sampleTraces, "acme");
  const server = await openSampleServer(store, { tenants: sampleTenants("acme", "other") });
  onTestFinished(() => server.stop(AbortSignal.abort()));
  const ask = (path: string, tenant?: string) =>
    fetch(server.base + api + path, tenant === undefined ? {} : { headers: { "x-tenant": tenant } });
  expect(await (await ask("/heatmap", "acme")).json()).toMatchObject({ spans: 5 });
  expect(await (await ask("/heatmap", "other")).json()).toMatchObject({ spans: 0 });
  expect((await ask(`/diff?a=${sampleTraceId}`, "other")).status).toBe(404);
  for (const path of engineQuestions) {
    const refused = await ask(path);
    expect([refused.status, refused.headers.get("content-type")]).toEqual([401, "application/problem+json"]);
    expect(await refused.json()).toMatchObject({ status: 401, title: "Unauthorized" });
  }
});

test("who leaves ends the work in the store, and waits no longer at the gate", async () => {
  const store = await sampleStore(sampleTraces);
  const asked = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  const stuck: typeof store.analysis.getHeatMap = (_, options) => {
    asked.resolve();
    return new Promise((_resolve, reject) => {
      options?.signal?.addEventListener("abort", () => {
        aborted.resolve();
        reject(options.signal?.reason);
      });
    });
  };
  const { analysis } = store;
  const server = await openSampleServer(
    {
      ...store,
      analysis: {
        getHeatMap: stuck,
        compareAttributes: analysis.compareAttributes.bind(analysis),
        comparePopulations: analysis.comparePopulations.bind(analysis),
        getDurationRank: analysis.getDurationRank.bind(analysis),
        getDurationRanks: analysis.getDurationRanks.bind(analysis),
        getTopOperations: analysis.getTopOperations.bind(analysis),
        getCriticalPath: analysis.getCriticalPath.bind(analysis),
        tail: analysis.tail.bind(analysis),
      },
    },
    { gate: new RequestGate({ maxConcurrent: 1, maxWaiting: 0 }) },
  );
  onTestFinished(() => server.stop(AbortSignal.abort()));
  const { hostname, port } = new URL(server.base);
  const socket = connect(Number(port), hostname);
  socket.write(`GET ${api}/heatmap HTTP/1.1\r\nhost: x\r\n\r\n`);
  await asked.promise;
  const refused = await fetch(`${server.base}${api}/compare`);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(await refused.json()).toMatchObject({ code: "QUERY_BUSY" });
  socket.destroy();
  await aborted.promise;
  const status = async () => (await fetch(`${server.base}${api}/compare`)).status;
  await expect.poll(status, { timeout: 60_000 }).toBe(200);
});
