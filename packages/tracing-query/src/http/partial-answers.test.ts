// Answers of a store of which a part is damaged, or a shard away: each says so, an empty one too, and none is a failure.
import {
  type Client,
  credentials,
  Metadata,
  makeGenericClientConstructor,
  type ServiceError,
} from "@grpc/grpc-js";
import { createLogger, parseHostPort } from "lifecycle";
import type { PartialReason } from "storage/api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { queryServiceV3 } from "wire/api-v3";
import { metricsQueryService, queryService, rpcServiceName } from "wire/grpc";
import { PartialStatus, streamingQuerier } from "wire/tempo";
import { type GrpcServer, openGrpcServer } from "../grpc/grpc-server.ts";
import { otlpSpan, sampleStore, sampleTraceId } from "../service/sample-store.ts";
import { damagedStore } from "../testing/damaged-store.ts";
import { openSampleServer, type SampleServer } from "../testing/sample-server.ts";
import { sampleService, sampleSettings } from "../testing/sample-service.ts";

const nowMs = Date.now();
const hourMs = 3_600_000;
const damage: PartialReason = {
  kind: "part-damaged",
  name: "tracing.operations 20261126_5_5_0",
  text: "part 20261126_5_5_0 of tracing.operations is damaged and set aside: 20 rows are missing from answers",
  startUnixMs: nowMs - hourMs,
  endUnixMs: nowMs,
};
const away: PartialReason = { kind: "shard-away", name: "2", text: "no server of shard 2 answers: http://b" };
/** Concerns spans of another time. */
const earlier: PartialReason = {
  ...damage,
  name: "tracing.spans 20200101_1_1_0",
  startUnixMs: Date.parse("2020-01-01"),
  endUnixMs: Date.parse("2020-01-02"),
};

const open = async (reasons: readonly PartialReason[], spans = [otlpSpan()]) => {
  const store = damagedStore(await sampleStore(spans), reasons);
  return { http: await openSampleServer(store), service: sampleService(store) };
};

let damaged: SampleServer;
let empty: SampleServer;
let whole: SampleServer;
beforeAll(async () => {
  damaged = (await open([damage, away, earlier])).http;
  empty = (await open([damage, away], [])).http;
  whole = (await open([earlier])).http;
});
afterAll(async () => {
  for (const server of [damaged, empty, whole]) {
    await server.stop(AbortSignal.abort());
  }
});

const hours = (unit: number) =>
  `start=${Math.floor((nowMs - hourMs) * unit)}&end=${Math.floor((nowMs + hourMs) * unit)}`;
const [micros, seconds] = [hours(1_000), hours(0.001)];
const rfc3339 = (ms: number) => new Date(ms).toISOString();
const v3Times = `query.start_time_min=${rfc3339(nowMs - hourMs)}&query.start_time_max=${rfc3339(nowMs + hourMs)}`;
const texts = `${damage.text}; ${away.text}`;
const enveloped = { errors: null, partial: true, warnings: [damage, away] };
const all = encodeURIComponent("{ }");
const rate = encodeURIComponent("{ } | rate()");

const answers: [path: string, body: object][] = [
  [`/api/traces?service=shop&${micros}`, { ...enveloped, data: [{ traceID: sampleTraceId }] }],
  [`/api/traces/${sampleTraceId}`, { ...enveloped, data: [{ traceID: sampleTraceId }] }],
  [`/api/traces/${sampleTraceId}?raw=true`, enveloped],
  [`/api/traces?traceID=${sampleTraceId}`, enveloped],
  ["/api/services", { ...enveloped, data: ["shop"] }],
  ["/api/services/shop/operations", enveloped],
  ["/api/operations?service=shop", enveloped],
  ["/api/dependencies", enveloped],
  ["/api/metrics/calls?service=shop", { type: "GAUGE" }],
  ["/api/metrics/latencies?service=shop&quantile=0.5", { type: "GAUGE" }],
  ["/api/v3/services", { services: ["shop"], partial: true, warnings: [damage, away] }],
  ["/api/v3/operations?service=shop", { partial: true, warnings: [damage, away] }],
  [`/api/v3/traces/${sampleTraceId}`, { partial: true, warnings: [damage, away] }],
  [`/api/v3/traces?${v3Times}`, { partial: true, warnings: [damage, away] }],
  [
    `/api/v3/trace-summaries?${v3Times}`,
    { summaries: [{ traceId: sampleTraceId }], partial: true, warnings: [damage, away] },
  ],
  [`/api/analysis/v1/heatmap?${micros}`, { spans: 1 }],
  [`/api/analysis/v1/operations/top?${micros}`, {}],
  [`/api/analysis/v1/critical-path?${micros}`, {}],
  [`/api/analysis/v1/compare?${micros}`, {}],
  [`/api/analysis/v1/critical-path/${sampleTraceId}`, {}],
  [
    `/tempo/api/search?q=${all}&${seconds}`,
    { status: "PARTIAL", message: texts, metrics: { completedJobs: 1, totalJobs: 3 } },
  ],
  [`/tempo/api/metrics/query_range?q=${rate}&${seconds}`, { status: "PARTIAL", message: texts }],
  [`/tempo/api/metrics/query?q=${rate}&${seconds}`, { status: "PARTIAL", message: texts }],
  [`/tempo/api/traces/${sampleTraceId}`, { batches: [{}] }],
  [`/tempo/api/v2/traces/${sampleTraceId}`, { status: "PARTIAL", message: texts }],
  [`/tempo/api/v2/search/tags?${seconds}`, {}],
  [`/tempo/api/v2/search/tag/name/values?${seconds}`, {}],
];

test.each(answers)("%s says what it lacks, and answers from the rest", async (path, body) => {
  const response = await fetch(damaged.base + path);
  expect(response.status).toBe(200);
  expect(JSON.parse(response.headers.get("x-tracing-partial") ?? "null")).toEqual([damage, away]);
  expect(await response.json()).toMatchObject(body);
});

test.each(answers)("%s says nothing of spans that nobody asked for", async (path) => {
  // Names have no time: of an older part they may be missing.
  if (/services|operations\?/.test(path)) {
    return;
  }
  const response = await fetch(whole.base + path);
  expect([response.status, response.headers.get("x-tracing-partial")]).toEqual([200, null]);
  const body = await response.text();
  expect(body).not.toMatch(/"partial"|PARTIAL/);
});

test.each([
  [`/api/traces?service=shop&${micros}`, 200, { ...enveloped, data: [] }],
  [
    `/api/traces/${sampleTraceId}`,
    404,
    { partial: true, warnings: [damage, away], errors: [{ code: 404, msg: "trace not found" }] },
  ],
  ["/api/services", 200, { ...enveloped, data: null }],
  [`/api/v3/traces/${sampleTraceId}`, 404, { partial: true, warnings: [damage, away] }],
  [`/api/v3/trace-summaries?${v3Times}`, 200, { partial: true, warnings: [damage, away] }],
  [`/tempo/api/search?q=${all}&${seconds}`, 200, { traces: [], status: "PARTIAL" }],
  [`/tempo/api/v2/traces/${sampleTraceId}`, 200, { status: "PARTIAL", message: texts }],
])("%s that finds nothing is not none: %d", async (path, status, body) => {
  const response = await fetch(empty.base + path);
  expect([response.status, await response.json()]).toEqual([status, expect.objectContaining(body)]);
  expect(JSON.parse(response.headers.get("x-tracing-partial") ?? "null")).toEqual([damage, away]);
});

test("Tempo's message of a trace ends with its status", async () => {
  const response = await fetch(`${damaged.base}/tempo/api/v2/traces/${sampleTraceId}`, {
    headers: { accept: "application/protobuf" },
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const tail = Buffer.concat([Buffer.from([0x18, 1, 0x22]), varint(texts.length), Buffer.from(texts)]);
  expect(bytes.subarray(-tail.length).equals(tail)).toBe(true);
});

function varint(value: number): Buffer {
  return Buffer.from(value < 0x80 ? [value] : [(value & 0x7f) | 0x80, value >> 7]);
}

test("counters for Prometheus say it in a comment, and fail where a shard is away: they must not fall", async () => {
  const { http } = await open([damage]);
  const text = await (await fetch(`${http.base}/api/metrics/prometheus`)).text();
  expect(text).toMatch(/^# partial: part 20261126_5_5_0 of tracing\.operations is damaged/);
  await http.stop(AbortSignal.abort());
  expect((await fetch(`${damaged.base}/api/metrics/prometheus`)).status).toBe(503);
});

describe("gRPC: metadata behind the answer", () => {
  let server: GrpcServer;
  let ofEmpty: GrpcServer;
  const log = createLogger({ name: "test", level: "fatal", encoding: "json" });
  const address = parseHostPort("127.0.0.1:0");
  const clients: Client[] = [];
  beforeAll(async () => {
    const start = async (spans = [otlpSpan()]) =>
      await openGrpcServer({
        ...sampleSettings(),
        ...{ address, tls: undefined, log, service: (await open([damage, away], spans)).service },
      });
    server = await start();
    ofEmpty = await start([]);
  });
  afterAll(async () => {
    for (const client of clients) {
      client.close();
    }
    await Promise.all([server, ofEmpty].map((each) => each.stop(AbortSignal.abort())));
  });

  const time = (ms: number) => ({ seconds: BigInt(Math.floor(ms / 1_000)), nanos: 0 });
  const [startTime, endTime] = [time(nowMs - hourMs), time(nowMs + hourMs)];
  const traceId = Buffer.from(sampleTraceId, "hex");
  const search = { serviceName: "shop", operationName: "", tags: {}, searchDepth: 10 };
  const base = { serviceNames: ["shop"], groupByOperation: false, spanKinds: [] };
  const calls: [
    definition:
      | typeof queryService
      | typeof queryServiceV3
      | typeof metricsQueryService
      | typeof streamingQuerier,
    method: string,
    request: object,
  ][] = [
    [queryService, "getTrace", { traceId }],
    [queryService, "findTraces", { query: { ...search, startTimeMin: startTime, startTimeMax: endTime } }],
    [queryService, "getServices", {}],
    [queryService, "getOperations", { service: "shop", spanKind: "" }],
    [queryService, "getDependencies", { startTime, endTime }],
    [queryServiceV3, "getTrace", { traceId: sampleTraceId }],
    [queryServiceV3, "getServices", {}],
    [metricsQueryService, "getCallRates", { baseRequest: base }],
    [
      streamingQuerier,
      "search",
      {
        tags: {},
        minDurationMs: 0,
        maxDurationMs: 0,
        limit: 5,
        start: 0,
        end: 0,
        query: "{ }",
        spansPerSpanSet: 1,
      },
    ],
  ];

  type Message = { metrics?: { totalJobs: number } };
  type Call = (
    request: object,
    metadata: Metadata,
    callback?: (error: unknown, answer: Message) => void,
  ) => { on<Argument>(event: string, listener: (argument: Argument) => void): void };

  /** Calls once. @returns messages, how it ended, and the metadata behind */
  function call(port: number | undefined, [definition, method, request]: (typeof calls)[number]) {
    const Generic = makeGenericClientConstructor(definition, rpcServiceName(definition));
    const client = new Generic(`127.0.0.1:${port}`, credentials.createInsecure()) as Client &
      Record<string, Call>;
    clients.push(client);
    const isStream = (definition as Record<string, { responseStream: boolean }>)[method]?.responseStream;
    return new Promise<{ messages: Message[]; code: number; said: unknown }>((resolve) => {
      const messages: Message[] = [];
      let failure: ServiceError | undefined;
      const start = (client[method] as Call).bind(client);
      const running = isStream
        ? start(request, new Metadata())
        : start(request, new Metadata(), (_: unknown, answer: Message) => answer && messages.push(answer));
      running.on("data", (message: Message) => messages.push(message));
      running.on("error", (error: ServiceError) => {
        failure = error;
      });
      running.on("status", ({ code, metadata }: { code: number; metadata: Metadata }) => {
        const [said] = metadata.get("x-tracing-partial");
        resolve({ messages, code: failure?.code ?? code, said: JSON.parse(String(said ?? "null")) });
      });
    });
  }

  test.each(calls)("%# %s", async (...one) => {
    const { messages, code, said } = await call(server.port, one);
    expect([code, messages.length, said]).toEqual([0, 1, [damage, away]]);
    if (one[0] === streamingQuerier) {
      expect(messages[0]?.metrics?.totalJobs).toBe(3);
    }
  });

  test("what is not found says why it may be there", async () => {
    expect(await call(ofEmpty.port, calls[0]!)).toMatchObject({ code: 5, said: [damage, away] });
    expect(await call(ofEmpty.port, calls[1]!)).toMatchObject({
      code: 0,
      messages: [],
      said: [damage, away],
    });
  });

  test("series have Tempo's own status", async () => {
    const { messages } = await call(server.port, [
      streamingQuerier,
      "metricsQueryInstant",
      { query: "{ } | rate()", start: 0n, end: 0n },
    ]);
    expect(messages).toMatchObject([{ status: PartialStatus.PARTIAL, message: texts }]);
  });
});
