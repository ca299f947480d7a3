import { Client, credentials, Metadata, type MethodDefinition, status } from "@grpc/grpc-js";
import { openGrpcStore } from "storage/grpc";
import { expect, onTestFinished, test } from "vitest";
import {
  dependencyReaderService,
  publicNameOf,
  storageCapabilitiesService,
  traceReaderService,
} from "wire/grpc";
import type { Span } from "wire/model";
import { encodeTraces, traceService } from "wire/otlp";
import { SpanRowWriter } from "wire/rows";
import type { TraceQueryParameters } from "wire/storage-v2";
import { decodeTraces } from "wire/testing";
import { type ServedStore, type ServedStoreSettings, serveStore } from "./remote-storage-fixture.ts";

async function served(settings: ServedStoreSettings = {}): Promise<ServedStore & { client: Client }> {
  const own = await serveStore(settings);
  const client = new Client(own.address, credentials.createInsecure());
  onTestFinished(async () => {
    client.close();
    await own.server.stop(AbortSignal.abort());
  });
  return { ...own, client };
}

let ids = 0;

function newSpan(facts: Partial<Span> = {}): Span {
  const id = (++ids).toString(16);
  return {
    traceId: id.padStart(32, "a"),
    spanId: id.padStart(16, "b"),
    ...{ parentSpanId: "", traceState: "", flags: 1, name: "GET /", kind: "server" },
    startTimeUnixNano: 1_784_721_600_000_000_000n + BigInt(ids),
    durationNano: 5n,
    ...{ attributes: [], droppedAttributesCount: 2, events: [], droppedEventsCount: 3 },
    ...{ links: [], droppedLinksCount: 4, status: { code: "error", message: "no" } },
    resource: {
      serviceName: "shop",
      attributes: [{ key: "service.name", value: { type: "string", value: "shop" } }],
      ...{ droppedAttributesCount: 0, schemaUrl: "https://example.com/schema" },
    },
    scope: { name: "lib", version: "1", attributes: [], droppedAttributesCount: 0, schemaUrl: "" },
    ...{ format: "otlp", warnings: [] },
    ...facts,
  };
}

/** The public name is what a Jaeger calls. */
function asJaeger<Request, Response>(
  method: MethodDefinition<Request, Response>,
): MethodDefinition<Request, Response> {
  const [, service = "", name = ""] = method.path.split("/");
  return { ...method, path: `/${publicNameOf(service) ?? service}/${name}` };
}

function unary<Request, Response>(
  client: Client,
  method: MethodDefinition<Request, Response>,
  request: Request,
  metadata = new Metadata(),
): Promise<Response | undefined> {
  const { path, requestSerialize, responseDeserialize } = asJaeger(method);
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(
      ...[path, requestSerialize, responseDeserialize, request, metadata],
      (error, answer) => (error === null ? resolve(answer) : reject(error)),
    );
  });
}

/** The messages of a streamed answer, each as spans with its size. */
async function messages<Request, Response>(
  client: Client,
  method: MethodDefinition<Request, Response>,
  request: Request,
): Promise<{ readonly spans: Span[]; readonly bytes: number }[]> {
  const { path, requestSerialize } = asJaeger(method);
  const call = client.makeServerStreamRequest(path, requestSerialize, (bytes: Buffer) => bytes, request);
  const all: { spans: Span[]; bytes: number }[] = [];
  for await (const bytes of call as AsyncIterable<Buffer>) {
    all.push({ spans: decodeTraces(bytes), bytes: bytes.length });
  }
  return all;
}

const anyTrace: TraceQueryParameters = {
  ...{ serviceName: "", operationName: "", attributes: [], searchDepth: 0, filter: undefined },
  ...{ startTimeMin: undefined, startTimeMax: undefined, durationMin: undefined, durationMax: undefined },
};

const ofTrace = (traceId: string) => ({
  traceId: Buffer.from(traceId, "hex"),
  startTime: undefined,
  endTime: undefined,
});

test("gives a span back as it was written, whole and typed", async () => {
  const { client } = await served();
  const span = newSpan({
    attributes: [
      { key: "n", value: { type: "int", value: 7n } },
      { key: "list", value: { type: "array", value: [{ type: "double", value: 0.5 }] } },
    ],
  });
  const answer = await unary(client, traceService.export, encodeTraces([span]));
  expect(answer).toEqual({ rejectedSpans: 0, errorMessage: "" });
  const query = [ofTrace(span.traceId), ofTrace("f".repeat(32))];
  const found = await messages(client, traceReaderService.getTraces, { query });
  expect(found.map(({ spans }) => spans)).toEqual([[span]]);
});

test("answers nothing where nothing is stored", async () => {
  const { client } = await served();
  const { getTraces, findTraces, findTraceIDs, getServices, getOperations } = traceReaderService;
  expect(await messages(client, getTraces, { query: [ofTrace("f".repeat(32))] })).toEqual([]);
  expect(await messages(client, getTraces, { query: [] })).toEqual([]);
  expect(await messages(client, findTraces, { query: anyTrace })).toEqual([]);
  expect(await unary(client, findTraceIDs, { query: anyTrace })).toEqual({ traceIds: [] });
  expect(await unary(client, getServices, {})).toEqual({ services: [] });
  expect(await unary(client, getOperations, { service: "shop", spanKind: "" })).toEqual({ operations: [] });
});

test("sends a large trace in messages that clients take, of one trace each, one behind the other", async () => {
  const { client } = await served();
  const large = { key: "large", value: { type: "string", value: "x".repeat(300_000) } } as const;
  const [one, other] = [newSpan(), newSpan()];
  const many = Array.from({ length: 1_500 }, () => newSpan({ traceId: one.traceId }));
  await unary(client, traceService.export, encodeTraces(many));
  for (let span = 0; span < 20; span++) {
    const spans = [newSpan({ traceId: other.traceId, attributes: [large] })];
    await unary(client, traceService.export, encodeTraces(spans));
  }
  const found = await messages(client, traceReaderService.findTraces, { query: anyTrace });
  expect(found.flatMap(({ spans }) => spans)).toHaveLength(1_520);
  expect(Math.max(...found.map(({ bytes }) => bytes))).toBeLessThan(4 * 1024 * 1024);
  const order = found.map(({ spans }) => [...new Set(spans.map(({ traceId }) => traceId))]);
  expect(order.map((traceIds) => traceIds.length)).toEqual(order.map(() => 1));
  const runs = order.flat().filter((id, index, all) => id !== all[index - 1]);
  expect(runs).toEqual([other.traceId, one.traceId]);
});

test("finds traces by attributes of every type, by time, duration and operation", async () => {
  const { client } = await served();
  const span = newSpan({
    attributes: [
      { key: "text", value: { type: "string", value: "a" } },
      { key: "number", value: { type: "int", value: 7n } },
      { key: "flag", value: { type: "bool", value: true } },
    ],
  });
  await unary(
    client,
    traceService.export,
    encodeTraces([span, newSpan({ status: { code: "unset", message: "" } })]),
  );
  const find = async (query: Partial<TraceQueryParameters>) => {
    const answer = await unary(client, traceReaderService.findTraceIDs, { query: { ...anyTrace, ...query } });
    return answer?.traceIds.map(({ traceId }) => traceId.toString("hex"));
  };
  const [seconds, nanos] = [1_784_721_600n, Number(span.startTimeUnixNano % 1_000_000_000n)];
  for (const query of [
    { attributes: [{ key: "text", value: { value: { $case: "stringValue", value: "a" } as const } }] },
    { attributes: [{ key: "number", value: { value: { $case: "intValue", value: 7n } as const } }] },
    { attributes: [{ key: "number", value: { value: { $case: "stringValue", value: "7" } as const } }] },
    { attributes: [{ key: "flag", value: { value: { $case: "boolValue", value: true } as const } }] },
    { attributes: [{ key: "error", value: { value: { $case: "stringValue", value: "true" } as const } }] },
    { serviceName: "shop", operationName: "GET /", startTimeMax: { seconds, nanos } },
  ]) {
    expect(await find(query)).toEqual([span.traceId]);
  }
  expect(await find({ attributes: [{ key: "text", value: undefined }] })).toEqual([]);
  expect(await find({ durationMin: { seconds: 1n, nanos: 0 } })).toEqual([]);
  expect(await find({ searchDepth: 1 })).toHaveLength(1);
  expect(
    await unary(client, traceReaderService.getOperations, { service: "shop", spanKind: "server" }),
  ).toEqual({
    operations: [{ name: "GET /", spanKind: "server" }],
  });
});

test("counts spans that cannot be stored in the answer, and stores the others", async () => {
  const { client, store } = await served();
  const span = newSpan();
  const noId = newSpan({ spanId: "" });
  const answer = await unary(client, traceService.export, encodeTraces([span, noId]));
  expect(answer).toEqual({ rejectedSpans: 1, errorMessage: expect.stringContaining("span") });
  expect(await store.reader.findTraceIds({ limit: 9 })).toEqual([span.traceId]);
  await expect(unary(client, traceService.export, Buffer.from("no spans"))).rejects.toMatchObject({
    code: status.INVALID_ARGUMENT,
  });
});

test("names the field of what cannot be answered", async () => {
  const { client } = await served();
  const refusal = (details: string) => ({ code: status.INVALID_ARGUMENT, details });
  const { getTraces, findTraces, findTraceIDs } = traceReaderService;
  const short = { ...ofTrace(""), traceId: Buffer.alloc(3) };
  await expect(
    messages(client, getTraces, { query: [ofTrace("a".repeat(32)), short] }),
  ).rejects.toMatchObject(refusal("query[1].trace_id: 3 bytes, not 16"));
  const many = Array.from({ length: 10_001 }, () => ofTrace("a".repeat(32)));
  await expect(messages(client, getTraces, { query: many })).rejects.toMatchObject(
    refusal("query: 10001 trace ids, more than 10000"),
  );
  await expect(messages(client, findTraces, { query: undefined })).rejects.toMatchObject(
    refusal("missing query"),
  );
  const filter = Buffer.from([0x0a, 0x02, 0x65, 0x71]);
  await expect(unary(client, findTraceIDs, { query: { ...anyTrace, filter } })).rejects.toMatchObject(
    refusal("query.filter: structured filters are not supported; use service_name and attributes"),
  );
});

test("says who calls whom, what it can search for, and serves its own names too", async () => {
  const { client, metrics } = await served();
  const parent = newSpan();
  const db = { ...parent.resource, serviceName: "db" };
  const named = [{ key: "service.name", value: { type: "string", value: "db" } }] as const;
  const child = newSpan({
    ...{ traceId: parent.traceId, parentSpanId: parent.spanId, resource: { ...db, attributes: named } },
  });
  await unary(client, traceService.export, encodeTraces([parent, child]));
  const times = { startTime: { seconds: 0n, nanos: 0 }, endTime: { seconds: 1_884_721_600n, nanos: 0 } };
  expect(await unary(client, dependencyReaderService.getDependencies, times)).toEqual({
    dependencies: [{ parent: "shop", child: "db", callCount: 1n, source: "" }],
  });
  expect(await unary(client, storageCapabilitiesService.getCapabilities, {})).toEqual({
    search: { withoutServiceName: true, sameSpanConjunction: true },
  });
  const own = { ...traceReaderService.getServices, path: "/tracing.storage.v2.TraceReader/GetServices" };
  const services = await new Promise((resolve, reject) =>
    client.makeUnaryRequest(
      ...[own.path, own.requestSerialize, own.responseDeserialize, {}],
      (error: Error | null, answer: unknown) => (error === null ? resolve(answer) : reject(error)),
    ),
  );
  expect(services).toEqual({ services: ["db", "shop"] });
  expect(await metrics()).toContain("tracing_storage_grpc_spans_written_total 2");
});

test("keeps tenants apart, and takes and gives nothing without a name", async () => {
  const { client, address } = await served({ tenancy: true, tenants: ["a", "b"] });
  const of = (tenant: string) => {
    const metadata = new Metadata();
    metadata.set("x-tenant", tenant);
    return metadata;
  };
  await unary(client, traceService.export, encodeTraces([newSpan()]), of("a"));
  expect(await unary(client, traceReaderService.getServices, {}, of("a"))).toEqual({ services: ["shop"] });
  expect(await unary(client, traceReaderService.getServices, {}, of("b"))).toEqual({ services: [] });
  const missing = { code: status.UNAUTHENTICATED, details: "missing tenant header" };
  await expect(unary(client, traceService.export, encodeTraces([newSpan()]))).rejects.toMatchObject(missing);
  await expect(messages(client, traceReaderService.findTraces, { query: anyTrace })).rejects.toMatchObject(
    missing,
  );

  const store = openGrpcStore({ server: address, version: 2, tenantHeader: "x-tenant" });
  onTestFinished(() => store.close());
  await store.ready();
  expect(await store.reader.getServices({ tenant: "a" })).toEqual(["shop"]);
  expect(await store.reader.findTraces({ limit: 5 }, { tenant: "b" })).toEqual([]);
});

test("gives warnings to a Jaeger as it keeps them, and takes them back", async () => {
  const { client, address } = await served();
  const store = openGrpcStore({ server: address, version: 2 });
  onTestFinished(() => store.close());
  const span = newSpan({ warnings: ["first", "second"] });
  const writer = new SpanRowWriter();
  writer.append(span, "");
  await store.writer.writeSpans(writer.take(), { deduplicationToken: "one" });
  expect(await store.reader.getTraces([span.traceId])).toEqual([{ traceId: span.traceId, spans: [span] }]);
  const [found] = await messages(client, traceReaderService.getTraces, { query: [ofTrace(span.traceId)] });
  expect(found?.spans[0]?.attributes).toEqual([
    {
      key: "@jaeger@warnings",
      value: {
        type: "array",
        value: [
          { type: "string", value: "first" },
          { type: "string", value: "second" },
        ],
      },
    },
  ]);
});
