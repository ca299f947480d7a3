// Requests of Grafana's Tempo data source when streaming is switched on in it, over a real connection.
import {
  credentials,
  Metadata,
  makeGenericClientConstructor,
  type ServiceError,
  status,
} from "@grpc/grpc-js";
import { createLogger, parseHostPort } from "lifecycle";
import type { ReadOptions, TraceStore } from "storage/api";
import { expect, onTestFinished, test } from "vitest";
import {
  type QueryInstantResponse,
  type QueryRangeResponse,
  type SearchResponse,
  type StreamingQuerierHandlers,
  streamingQuerier,
} from "wire/tempo";
import { otlpSpan, sampleStore, sampleTraceId } from "../service/sample-store.ts";
import { sampleService, sampleSettings } from "../testing/sample-service.ts";
import { openGrpcServer } from "./grpc-server.ts";

const log = createLogger({ name: "test", level: "fatal", encoding: "json" });

interface Stream {
  on(event: "data", listener: (message: unknown) => void): Stream;
  on(event: "end", listener: () => void): Stream;
  on(event: "error", listener: (error: ServiceError) => void): Stream;
  cancel(): void;
}

type Method = (request: object, metadata: Metadata) => Stream;

async function connect(store: TraceStore, changes: Partial<ReturnType<typeof sampleSettings>> = {}) {
  const address = parseHostPort("127.0.0.1:0");
  const server = await openGrpcServer({
    ...sampleSettings(),
    ...changes,
    address,
    tls: undefined,
    service: sampleService(store),
    log,
  });
  const Client = makeGenericClientConstructor(streamingQuerier, "");
  const client = new Client(`127.0.0.1:${server.port}`, credentials.createInsecure());
  onTestFinished(async () => {
    client.close();
    await server.stop(AbortSignal.abort());
  });
  return (method: string, request: object, metadata = new Metadata()): Stream =>
    (client as unknown as Record<string, Method>)[method]!(request, metadata);
}

function messagesOf(stream: Stream): Promise<unknown[]> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown[]>();
  const messages: unknown[] = [];
  stream
    .on("data", (message) => messages.push(message))
    .on("end", () => resolve(messages))
    .on("error", reject);
  return promise;
}

const nothing = {
  tags: {},
  ...{ minDurationMs: 0, maxDurationMs: 0, limit: 0, start: 0, end: 0, query: "", spansPerSpanSet: 0 },
};
const noTags = { scope: "", query: "", start: 0, end: 0, maxTagsPerScope: 0 };
const noValues = { tagName: "", query: "", start: 0, end: 0, maxTagValues: 0 };

const spans = () => [
  otlpSpan({ durationNano: 20_000_000n, attributes: [{ key: "n", value: { type: "int", value: 5n } }] }),
  otlpSpan({ spanId: "00000000000000b2", parentSpanId: "d8b7eb2154448f9d", service: "stock", name: "read" }),
];

test("a search by TraceQL and by tags", async () => {
  const call = await connect(await sampleStore(spans()));
  const byQuery = { ...nothing, query: "{ .n = 5 }", limit: 20, spansPerSpanSet: 3 };
  const byTags = { ...nothing, tags: { "service.name": "shop", n: "5" }, minDurationMs: 1 };
  for (const request of [byQuery, byTags]) {
    const [message, ...others] = (await messagesOf(call("search", request))) as SearchResponse[];
    expect(others).toEqual([]);
    expect(message?.traces).toEqual([
      expect.objectContaining({
        ...{ traceId: sampleTraceId, rootServiceName: "shop", rootTraceName: "GET /", durationMs: 20 },
        startTimeUnixNano: expect.any(BigInt),
        serviceStats: {
          shop: { spanCount: 1, errorCount: 0 },
          stock: { spanCount: 1, errorCount: 0 },
        },
      }),
    ]);
    expect(message?.traces[0]?.spanSets[0]).toMatchObject({
      matched: 1,
      spans: [{ spanId: "d8b7eb2154448f9d", durationNanos: 20_000_000n }],
    });
  }
});

test("many traces, in several messages", async () => {
  const many = Array.from({ length: 120 }, (_, index) =>
    otlpSpan({ traceId: (index + 1).toString(16).padStart(32, "0") }),
  );
  const call = await connect(await sampleStore(many));
  const found = await messagesOf(call("search", { ...nothing, query: "{}", limit: 200 }));
  expect((found as SearchResponse[]).map(({ traces }) => traces.length)).toEqual([50, 50, 20]);
  const none = await messagesOf(call("search", { ...nothing, query: "{ .none = 1 }" }));
  expect((none as SearchResponse[]).map(({ traces }) => traces.length)).toEqual([0]);
});

test("tags and their values", async () => {
  const call = await connect(await sampleStore(spans()));
  expect(await messagesOf(call("searchTags", noTags))).toEqual([{ tagNames: ["n", "service.name"] }]);
  expect(await messagesOf(call("searchTagsV2", { ...noTags, scope: "span" }))).toEqual([
    { scopes: [{ name: "span", tags: ["n"] }] },
  ]);
  expect(await messagesOf(call("searchTagValues", { ...noValues, tagName: "service.name" }))).toEqual([
    { tagValues: ["shop", "stock"] },
  ]);
  expect(await messagesOf(call("searchTagValuesV2", { ...noValues, tagName: "span.n" }))).toEqual([
    { tagValues: [{ type: "int", value: "5" }] },
  ]);
});

test("metrics", async () => {
  const call = await connect(await sampleStore(spans()));
  const now = BigInt(Date.now()) * 1_000_000n;
  const range = {
    query: "{} | count_over_time() by(resource.service.name)",
    start: now - 600_000_000_000n,
    end: now,
  };
  const [message] = (await messagesOf(
    call("metricsQueryRange", { ...range, step: 60_000_000_000n, exemplars: 10 }),
  )) as QueryRangeResponse[];
  expect(message?.series.map(({ labels }) => labels)).toEqual([
    [{ key: "resource.service.name", value: { value: { $case: "stringValue", value: "shop" } } }],
    [{ key: "resource.service.name", value: { value: { $case: "stringValue", value: "stock" } } }],
  ]);
  expect(message?.series[0]?.samples.reduce((sum, { value }) => sum + value, 0)).toBe(1);
  expect(message?.series[0]?.exemplars[0]?.labels[0]).toEqual({
    key: "trace:id",
    value: { value: { $case: "stringValue", value: sampleTraceId } },
  });
  const [instant] = (await messagesOf(call("metricsQueryInstant", range))) as QueryInstantResponse[];
  expect(instant?.series.map(({ value }) => value)).toEqual([1, 1]);
});

test.each<[keyof StreamingQuerierHandlers & string, object, RegExp]>([
  ["search", { ...nothing, query: "{ .a = }" }, /^invalid TraceQL query: parse error at line 1, col 8: /],
  ["search", { ...nothing, query: "{}", start: 5, end: 4 }, /start must be before end/],
  ["search", { ...nothing, query: "{}", limit: 100_000 }, /limit/],
  ["searchTagsV2", { ...noTags, scope: "nonsense" }, /^invalid scope: nonsense$/],
  ["searchTagValuesV2", { ...noValues, tagName: ".a } || { .b" }, /^please provide a valid tagName/],
  [
    "metricsQueryRange",
    { query: "{}", start: 0n, end: 0n, step: 0n, exemplars: 0 },
    /^invalid TraceQL query/,
  ],
  ["metricsQueryInstant", { query: "", start: 0n, end: 0n }, /q is required/],
])("%s is refused: %#", async (method, request, details) => {
  const call = await connect(await sampleStore([]));
  await expect(messagesOf(call(method, request))).rejects.toMatchObject({
    code: status.INVALID_ARGUMENT,
    details: expect.stringMatching(details),
  });
});

test("tenants are apart", async () => {
  const { tenants } = sampleSettings("one", "two");
  const call = await connect(await sampleStore(spans(), "one"), { tenants });
  const found = async (tenant: string) => {
    const metadata = new Metadata();
    metadata.set("x-tenant", tenant);
    const [message] = await messagesOf(call("search", { ...nothing, query: "{}" }, metadata));
    return (message as SearchResponse).traces.length;
  };
  expect([await found("one"), await found("two")]).toEqual([1, 0]);
  await expect(found("three")).rejects.toMatchObject({ code: status.PERMISSION_DENIED });
});

test("a call that is cancelled ends the work in the store", async () => {
  const [asked, aborted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const search = (_query: unknown, options?: ReadOptions): Promise<never> => {
    options?.signal?.addEventListener("abort", () => aborted.resolve());
    asked.resolve();
    return new Promise(() => {});
  };
  const store = await sampleStore([]);
  const call = await connect({ ...store, traceql: { ...store.traceql, search } });
  const stream = call("search", { ...nothing, query: "{}" });
  const ended = messagesOf(stream);
  await asked.promise;
  stream.cancel();
  await expect(ended).rejects.toMatchObject({ code: status.CANCELLED });
  await aborted.promise;
});

test("a list that was cut says so in its counters", async () => {
  const call = await connect(await sampleStore(spans()));
  const values = { ...noValues, tagName: "resource.service.name" };
  const [cut] = await messagesOf(call("searchTagValuesV2", { ...values, maxTagValues: 1 }));
  expect(cut).toMatchObject({ tagValues: [{}], metrics: { completedJobs: 1, totalJobs: 2 } });
  const [whole] = await messagesOf(call("searchTagValuesV2", values));
  expect(whole).toMatchObject({ tagValues: [{}, {}], metrics: undefined });
});
