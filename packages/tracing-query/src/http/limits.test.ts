import { once } from "node:events";
import { connect } from "node:net";
import { deflateSync, gzipSync, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { createLogger, parseHostPort } from "lifecycle";
import type { ReadOptions, SpanReader } from "storage/api";
import { expect, onTestFinished, test } from "vitest";
import { openHttpServer } from "../server/http-server.ts";
import { RequestGate } from "../service/request-gate.ts";
import { otlpSpan, sampleStore, sampleTraceId, shortTraceId } from "../service/sample-store.ts";
import { type SampleStore, StuckReader, sampleService, sampleSettings } from "../testing/sample-service.ts";
import { UiPage } from "./ui-page.ts";

const log = createLogger({ name: "test", level: "fatal", encoding: "json" });

async function open(store: SampleStore, changes: Partial<ReturnType<typeof sampleSettings>> = {}) {
  const server = await openHttpServer({
    ...sampleSettings(),
    ...changes,
    address: parseHostPort("127.0.0.1:0")!,
    tls: undefined,
    service: sampleService(store, undefined, undefined, changes.gate),
    page: await UiPage.open({ folder: "/nowhere", configFile: "" }, log),
    uiFolder: "/nowhere",
    basePath: "",
    log,
  });
  onTestFinished(() => server.stop(AbortSignal.abort()));
  return `http://127.0.0.1:${server.port}`;
}

async function problemOf(response: Response): Promise<[status: number, message: string]> {
  const { errors } = (await response.json()) as { errors: [{ msg: string }] };
  return [response.status, errors[0].msg];
}

test.each([
  ["service=x&limit=3", 400, "a search for 3 traces is over the limit of 2 of --query.max-traces"],
  [
    "traceID=1&traceID=2&traceID=3",
    400,
    "a request for 3 traces is over the limit of 2 of --query.max-traces",
  ],
  [
    "service=x&limit=1&start=0&end=7200000001",
    400,
    "a search from start to end is longer than the limit of 2 h of --query.max-time-range",
  ],
  [
    `traceID=${sampleTraceId}&traceID=beef`,
    413,
    "the answer holds 3 spans, over the limit of 2 of --query.max-spans: ask for fewer traces",
  ],
])("search %s: %d %s", async (search, status, message) => {
  const spans = [
    otlpSpan(),
    otlpSpan({ spanId: "00000000000000b2" }),
    otlpSpan({ traceId: shortTraceId, spanId: "00000000000000b3" }),
  ];
  const limits = { maxTraces: 2, maxSpans: 2, maxRangeNano: 7_200_000_000_000n };
  const base = await open(await sampleStore(spans), { limits });
  expect(await problemOf(await fetch(`${base}/api/traces?${search}`))).toEqual([status, message]);
  expect((await fetch(`${base}/api/traces/${sampleTraceId}`)).status).toBe(200);
});

test.each([true, false])(
  "an upload over the limit is refused, with its length told: %s",
  async (hasLength) => {
    const base = await open(await sampleStore([]), { maxBodyBytes: 100 });
    const text = JSON.stringify({ resourceSpans: [], padding: "x".repeat(200) });
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from(text));
        controller.close();
      },
    });
    const init = hasLength ? { body: text } : { body: stream, duplex: "half" as const };
    const response = await fetch(`${base}/api/transform`, { method: "POST", ...init });
    expect(await problemOf(response)).toEqual([
      413,
      "the body is over the limit of 100 bytes of --query.max-upload-size",
    ]);
    const empty = await fetch(`${base}/api/transform`, { method: "POST", body: '{"resourceSpans":[]}' });
    expect(await empty.json()).toMatchObject({ data: [] });
  },
);

test.each(["{", "[]", "", '{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"zz"}]}]}]}'])(
  "an upload that is no OTLP: %s",
  async (body) => {
    const base = await open(await sampleStore([]));
    const [status, message] = await problemOf(await fetch(`${base}/api/transform`, { method: "POST", body }));
    expect(status).toBe(400);
    expect(message).toMatch(/^cannot unmarshal OTLP : ./);
  },
);

test("an upload of 200,000 spans is shown", async () => {
  const base = await open(await sampleStore([]), { maxBodyBytes: 64 * 1024 * 1024 });
  const traceId = "a".repeat(32);
  const spans = Array.from({ length: 200_000 }, (_, index) => ({
    traceId,
    spanId: (index + 1).toString(16).padStart(16, "0"),
  }));
  const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
  const response = await fetch(`${base}/api/transform`, { method: "POST", body });
  const { data } = (await response.json()) as { data: { spans: unknown[] }[] };
  expect(data.map((trace) => trace.spans.length)).toEqual([200_000]);
});

test("past the requests that may wait, clients are told to come again; who leaves makes room", async () => {
  const reader = new StuckReader();
  const base = await open(reader, { gate: new RequestGate({ maxConcurrent: 1, maxWaiting: 0 }) });
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname);
  socket.write(`GET /api/traces/${sampleTraceId} HTTP/1.1\r\nhost: x\r\n\r\n`);
  await reader.asked.promise;
  const refused = await fetch(`${base}/api/v3/traces/1`);
  expect(refused.status).toBe(503);
  expect(refused.headers.get("retry-after")).toBe("1");
  expect(await refused.json()).toEqual({
    error: {
      httpCode: 503,
      message:
        "1 requests are under way and 0 wait: --query.max-concurrent-reads and --query.max-waiting-reads allow no more",
    },
  });
  socket.destroy();
  await once(socket, "close");
  await reader.aborted.promise;
  const transformed = () => fetch(`${base}/api/transform`, { method: "POST", body: "{}" });
  await expect.poll(async () => (await transformed()).status).toBe(200);
});

test.each([
  "/api/services",
  "/api/operations?service=a",
  "/api/v3/services",
  "/api/dependencies",
  "/api/metrics/calls?service=a",
  "/api/metrics/errors?service=a",
  "/api/metrics/latencies?service=a&quantile=0.5",
  "/api/metrics/prometheus",
  "/api/analysis/v1/dependencies",
  "/api/analysis/v1/dependencies/graph",
  "/api/analysis/v1/names",
  "/api/analysis/v1/attributes",
  "/api/analysis/v1/attributes/span/a/values",
  "/tempo/api/search/tags",
  "/tempo/api/v2/search/tag/span.a/values",
])("reads of names, values, dependencies and metrics take a place: %s", async (path) => {
  const gate = new RequestGate({ maxConcurrent: 1, maxWaiting: 0 });
  const base = await open(await sampleStore([otlpSpan()]), { gate });
  expect((await fetch(base + path)).status).toBe(200);
  const leave = await gate.enter(new AbortController().signal);
  const refused = await fetch(base + path);
  expect([refused.status, await refused.text()]).toEqual([
    503,
    expect.stringContaining("1 requests are under way"),
  ]);
  leave();
  expect((await fetch(base + path)).status).toBe(200);
});

test("a client that takes nothing is cut off, and makes room", async () => {
  const long = { key: "text", value: { type: "string", value: "x".repeat(100_000) } } as const;
  const spans = Array.from({ length: 300 }, (_, index) =>
    otlpSpan({ spanId: (index + 1).toString(16).padStart(16, "0"), attributes: [long] }),
  );
  const gate = new RequestGate({ maxConcurrent: 1, maxWaiting: 5 });
  const base = await open(await sampleStore(spans), { gate, stalledMs: 100 });
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname);
  socket.pause();
  socket.write(`GET /api/traces/${sampleTraceId} HTTP/1.1\r\nhost: x\r\n\r\n`);
  await expect.poll(() => gate.inside).toBe(1);
  const other = await fetch(`${base}/api/traces/beef`);
  expect(other.status).toBe(404);
  socket.destroy();
});

test.each([
  [true, "secret"],
  [false, undefined],
])("with propagation %s the store gets the token %s", async (propagateToken, token) => {
  const { reader } = await sampleStore([]);
  const seen: ReadOptions[] = [];
  const watched = {
    getServices: async (options: ReadOptions) => {
      seen.push(options);
      return await reader.getServices(options);
    },
  } as unknown as SpanReader;
  const base = await open(watched, { propagateToken });
  await fetch(`${base}/api/services`, { headers: { authorization: "Bearer secret" } });
  expect(seen[0]?.bearerToken).toBe(token);
});

test("zstd, for those that take it", async () => {
  const text = { key: "text", value: { type: "string", value: "x".repeat(5_000) } } as const;
  const base = await open(await sampleStore([otlpSpan({ attributes: [text] })]));
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname);
  socket.write(`GET /api/traces/${sampleTraceId} HTTP/1.0\r\nhost: x\r\naccept-encoding: gzip, zstd\r\n\r\n`);
  const chunks: Buffer[] = [];
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    chunks.push(chunk);
  }
  const answer = Buffer.concat(chunks);
  const end = answer.indexOf("\r\n\r\n");
  expect(answer.subarray(0, end).toString()).toMatch(/content-encoding: zstd/i);
  expect(zstdDecompressSync(answer.subarray(end + 4)).toString()).toContain("x".repeat(5_000));
});

test.each([
  ["gzip", gzipSync],
  ["deflate", deflateSync],
  ["zstd", zstdCompressSync],
])("an upload may be %s, within the limit as decompressed", async (encoding, compress) => {
  const limits = { maxTraces: 0, maxSpans: 0, maxRangeNano: 0n };
  const base = await open(await sampleStore([]), { limits, maxBodyBytes: 10_000 });
  const upload = (body: Uint8Array<ArrayBuffer>) =>
    fetch(`${base}/api/transform`, { method: "POST", headers: { "Content-Encoding": encoding }, body });
  expect((await upload(new Uint8Array(compress('{"resourceSpans":[]}')))).status).toBe(200);
  const bomb = new Uint8Array(compress(Buffer.alloc(1_000_000, " ")));
  expect(bomb.length).toBeLessThan(10_000);
  expect(await problemOf(await upload(bomb))).toEqual([
    413,
    "the body is over the limit of 10000 bytes of --query.max-upload-size",
  ]);
  const [status, message] = await problemOf(await upload(new Uint8Array([1, 2, 3])));
  expect([status, message]).toEqual([400, expect.stringContaining(`the body is not ${encoding}`)]);
});

test("an upload of an unknown encoding is told the known ones", async () => {
  const base = await open(await sampleStore([]));
  const headers = { "Content-Encoding": "br" };
  const answer = await fetch(`${base}/api/transform`, { method: "POST", headers, body: "x" });
  const [status, message] = await problemOf(answer);
  expect([status, message]).toEqual([400, expect.stringContaining("known are identity, gzip")]);
});
