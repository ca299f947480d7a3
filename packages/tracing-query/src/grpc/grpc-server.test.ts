import { once } from "node:events";
import {
  type Client,
  type ClientReadableStream,
  credentials,
  Metadata,
  makeGenericClientConstructor,
  type ServiceError,
  status,
} from "@grpc/grpc-js";
import { createLogger, parseHostPort } from "lifecycle";
import { openClickHouseStore } from "storage/clickhouse";
import { afterEach, describe, expect, test } from "vitest";
import type { ApiV2Span, SpansResponseChunk } from "wire/api-v2";
import { queryService, rpcServiceName, withPublicNames } from "wire/grpc";
import { otlpSpan, sampleStore, sampleTraceId, shortTraceId } from "../service/sample-store.ts";
import {
  type SampleStore,
  StuckReader,
  sampleService,
  sampleSettings,
  sampleTenants,
} from "../testing/sample-service.ts";
import { type GrpcServer, openGrpcServer } from "./grpc-server.ts";

const log = createLogger({ name: "test", level: "fatal", encoding: "json" });
const opened: GrpcServer[] = [];
const clients: Client[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) {
    client.close();
  }
  await Promise.all(opened.splice(0).map((server) => server.stop(AbortSignal.abort())));
});

async function open(store: SampleStore, tenants = sampleTenants()): Promise<number> {
  const server = await openGrpcServer({
    address: parseHostPort("127.0.0.1:0")!,
    tls: undefined,
    ...sampleSettings(),
    service: sampleService(store),
    tenants,
    log,
  });
  opened.push(server);
  return server.port!;
}

/** A client of the service under one of its names. */
function clientOf(port: number, definition = queryService) {
  const Generic = makeGenericClientConstructor(definition, rpcServiceName(definition));
  const client = new Generic(`127.0.0.1:${port}`, credentials.createInsecure());
  clients.push(client);
  return {
    unary: (method: string, request: object, metadata = new Metadata()) =>
      new Promise((resolve, reject) => {
        client[method]!(request, metadata, (error: ServiceError | null, answer: unknown) =>
          error === null ? resolve(answer) : reject(error),
        );
      }),
    stream: (
      method: string,
      request: object,
      options: object = {},
      metadata = new Metadata(),
    ): ClientReadableStream<SpansResponseChunk> => client[method]!(request, metadata, options),
  };
}

async function chunksOf(stream: ClientReadableStream<SpansResponseChunk>): Promise<ApiV2Span[][]> {
  const chunks: ApiV2Span[][] = [];
  for await (const { spans } of stream as AsyncIterable<SpansResponseChunk>) {
    chunks.push(spans);
  }
  return chunks;
}

const getTrace = (traceId: Buffer) => ({ traceId, startTime: undefined, endTime: undefined });

const everything = {
  serviceName: "",
  operationName: "",
  tags: {},
  startTimeMin: undefined,
  startTimeMax: undefined,
  durationMin: undefined,
  durationMax: undefined,
  searchDepth: 0,
};

function spans(count: number, text = "") {
  return Array.from({ length: count }, (_, index) =>
    otlpSpan({
      spanId: (index + 1).toString(16).padStart(16, "0"),
      attributes: [{ key: "text", value: { type: "string", value: text } }],
    }),
  );
}

describe.each(
  withPublicNames(queryService).map((definition) => ({ name: rpcServiceName(definition), definition })),
)("$name", ({ definition }) => {
  test("GetTrace streams chunks of ten spans, not adjusted", async () => {
    const { reader } = await sampleStore(spans(25));
    const { stream } = clientOf(await open(reader), definition);
    const chunks = await chunksOf(stream("getTrace", getTrace(Buffer.from(sampleTraceId, "hex"))));
    expect(chunks.map((chunk) => chunk.length)).toEqual([10, 10, 5]);
    expect(chunks[0]?.[0]?.process?.serviceName).toBe("shop");
    expect(chunks[0]?.[0]?.tags.map(({ key }) => key)).toEqual(["text", "span.kind", "internal.span.format"]);
  });

  test("names", async () => {
    const { reader } = await sampleStore([
      otlpSpan(),
      otlpSpan({ spanId: "00000000000000b2", kind: "client" }),
      otlpSpan({ service: "db", spanId: "00000000000000b3" }),
    ]);
    const { unary } = clientOf(await open(reader), definition);
    expect(await unary("getServices", {})).toEqual({ services: ["db", "shop"] });
    expect(await unary("getOperations", { service: "shop", spanKind: "" })).toEqual({
      operationNames: ["GET /"],
      operations: [
        { name: "GET /", spanKind: "server" },
        { name: "GET /", spanKind: "client" },
      ],
    });
    expect(await unary("getOperations", { service: "shop", spanKind: "client" })).toEqual({
      operationNames: ["GET /"],
      operations: [{ name: "GET /", spanKind: "client" }],
    });
    expect(await unary("getOperations", { service: "shop", spanKind: "x" })).toEqual({
      operationNames: [],
      operations: [],
    });
  });
});

test("GetTrace takes the low half of an id alone", async () => {
  const { reader } = await sampleStore([otlpSpan({ traceId: shortTraceId })]);
  const { stream } = clientOf(await open(reader));
  expect(await chunksOf(stream("getTrace", getTrace(Buffer.from("000000000000beef", "hex"))))).toHaveLength(
    1,
  );
});

test("large spans come in smaller chunks, under the 4 MiB that clients take", async () => {
  const { reader } = await sampleStore(spans(20, "x".repeat(600_000)));
  const { stream } = clientOf(await open(reader));
  const chunks = await chunksOf(stream("getTrace", getTrace(Buffer.from(sampleTraceId, "hex"))));
  expect(chunks.flat()).toHaveLength(20);
});

test("FindTraces: each condition; traces do not mix in a chunk", async () => {
  const startTimeUnixNano = 1_795_227_853_859_640_999n;
  const { reader } = await sampleStore([
    ...spans(2),
    otlpSpan({
      traceId: shortTraceId,
      service: "db",
      name: "SELECT",
      startTimeUnixNano,
      durationNano: 5_000n,
    }),
  ]);
  const { stream } = clientOf(await open(reader));
  const find = async (query: object) =>
    (await chunksOf(stream("findTraces", { query: { ...everything, ...query } }))).map((chunk) =>
      chunk[0]?.traceId.toString("hex"),
    );
  const time = (nanos: bigint) => ({
    seconds: nanos / 1_000_000_000n,
    nanos: Number(nanos % 1_000_000_000n),
  });
  expect((await find({})).sort()).toEqual([shortTraceId, sampleTraceId]);
  expect(await find({ searchDepth: 1 })).toHaveLength(1);
  expect(await find({ serviceName: "db", operationName: "SELECT", tags: { "span.kind": "server" } })).toEqual(
    [shortTraceId],
  );
  expect(await find({ tags: { "span.kind": "client" } })).toEqual([]);
  expect(
    await find({ startTimeMin: time(startTimeUnixNano), startTimeMax: time(startTimeUnixNano) }),
  ).toEqual([shortTraceId]);
  expect(await find({ startTimeMax: time(startTimeUnixNano - 1n) })).toEqual([]);
  expect(await find({ durationMin: time(5_000n), durationMax: time(5_000n) })).toEqual([shortTraceId]);
});

describe("refuses", () => {
  const id = Buffer.from(sampleTraceId, "hex");
  const now = { seconds: 1n, nanos: 0 };

  test.each([
    ["getTrace", getTrace(Buffer.alloc(0)), status.INVALID_ARGUMENT, "uninitialized TraceID is not allowed"],
    ["getTrace", getTrace(Buffer.alloc(16)), status.INVALID_ARGUMENT, "uninitialized TraceID is not allowed"],
    [
      "getTrace",
      getTrace(Buffer.alloc(1)),
      status.INTERNAL,
      "grpc: failed to unmarshal the received message: invalid length for TraceID",
    ],
    ["getTrace", getTrace(id), status.NOT_FOUND, "trace not found: trace not found"],
    ["findTraces", { query: undefined }, status.INVALID_ARGUMENT, "missing query"],
  ])("%s %#: %d %s", async (method, request, code, details) => {
    const { reader } = await sampleStore([]);
    const { stream } = clientOf(await open(reader));
    await expect(chunksOf(stream(method, request))).rejects.toMatchObject({ code, details });
  });

  test.each([
    [
      "archiveTrace",
      getTrace(Buffer.alloc(17, 1)),
      status.INTERNAL,
      "grpc: error unmarshalling request: invalid length for TraceID",
    ],
    [
      "getDependencies",
      { startTime: { seconds: -62_135_596_800n, nanos: 0 }, endTime: now },
      status.INVALID_ARGUMENT,
      "StartTime and EndTime must be initialized.",
    ],
    [
      "archiveTrace",
      getTrace(Buffer.alloc(0)),
      status.INVALID_ARGUMENT,
      "uninitialized TraceID is not allowed",
    ],
    [
      "archiveTrace",
      getTrace(id),
      status.INTERNAL,
      "failed to archive trace: archive span storage was not configured",
    ],
    [
      "getDependencies",
      { startTime: undefined, endTime: now },
      status.INVALID_ARGUMENT,
      "StartTime and EndTime must be initialized.",
    ],
    [
      "getDependencies",
      { startTime: now, endTime: now },
      status.UNIMPLEMENTED,
      "failed to fetch dependencies: a reader alone",
    ],
  ])("%s %#: %d %s", async (method, request, code, details) => {
    const { reader } = await sampleStore([]);
    const { unary } = clientOf(await open(reader));
    await expect(unary(method, request)).rejects.toMatchObject({ code, details });
  });

  test("a search of too much", async () => {
    const { reader } = await sampleStore([]);
    const { unary, stream } = clientOf(await open(reader));
    const service = "x".repeat(9_000);
    const failed = (what: string) => ({
      code: status.INVALID_ARGUMENT,
      details: expect.stringMatching(`^${what}: .*over the limit of 8192$`),
    });
    await expect(
      chunksOf(stream("findTraces", { query: { ...everything, serviceName: service } })),
    ).rejects.toMatchObject(failed("failed when searching for traces"));
    await expect(unary("getOperations", { service, spanKind: "" })).rejects.toMatchObject(
      failed("failed to fetch operations"),
    );
  });

  test("with UNAVAILABLE while the store is away", async () => {
    const store = openClickHouseStore({ urls: ["http://127.0.0.1:1"] });
    const { unary, stream } = clientOf(await open(store.reader));
    const failed = (what: string) => ({
      code: status.UNAVAILABLE,
      details: expect.stringMatching(`^${what}: storage at http://127.0.0.1:1/ cannot be reached`),
    });
    await expect(unary("getServices", {})).rejects.toMatchObject(failed("failed to fetch services"));
    await expect(unary("getOperations", { service: "s", spanKind: "" })).rejects.toMatchObject(
      failed("failed to fetch operations"),
    );
    await expect(chunksOf(stream("getTrace", getTrace(id)))).rejects.toMatchObject(
      failed("failed to fetch spans from the backend"),
    );
    await expect(chunksOf(stream("findTraces", { query: everything }))).rejects.toMatchObject(
      failed("failed when searching for traces"),
    );
    await store.close();
  });
});

describe("a read ends in the store", () => {
  test("when the client cancels", async () => {
    const reader = new StuckReader();
    const { stream } = clientOf(await open(reader));
    const call = stream("findTraces", { query: everything });
    await reader.asked.promise;
    call.cancel();
    await expect(once(call, "end")).rejects.toMatchObject({ code: status.CANCELLED });
    await reader.aborted.promise;
  });

  test("when the deadline passes", async () => {
    const reader = new StuckReader();
    const { stream } = clientOf(await open(reader));
    const call = stream("getTrace", getTrace(Buffer.alloc(16, 1)), { deadline: Date.now() + 200 });
    await expect(once(call, "end")).rejects.toMatchObject({ code: status.DEADLINE_EXCEEDED });
    await reader.aborted.promise;
  });
});

test("reflection and health answer", async () => {
  const port = await open((await sampleStore([])).reader);
  const method = (path: string, requestStream: boolean, responseStream: boolean) => ({
    path,
    requestStream,
    responseStream,
    requestSerialize: (bytes: Buffer) => bytes,
    requestDeserialize: (bytes: Buffer) => bytes,
    responseSerialize: (bytes: Buffer) => bytes,
    responseDeserialize: (bytes: Buffer) => bytes,
  });
  const Generic = makeGenericClientConstructor(
    {
      check: method("/grpc.health.v1.Health/Check", false, false),
      list: method("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", true, true),
    },
    "raw",
  );
  const client = new Generic(`127.0.0.1:${port}`, credentials.createInsecure());
  clients.push(client);

  const name = Buffer.from("jaeger.api_v2.QueryService");
  const health = await new Promise((resolve, reject) => {
    client.check!(
      Buffer.concat([Buffer.from([0x0a, name.length]), name]),
      (error: Error | null, answer: Buffer) => (error === null ? resolve(answer) : reject(error)),
    );
  });
  expect(health).toEqual(Buffer.from([0x08, 1])); // SERVING

  const list = client.list!();
  list.end(Buffer.from([0x3a, 0])); // list_services: ""
  const [answer] = (await once(list, "data")) as [Buffer];
  for (const service of [
    "tracing.api_v2.QueryService",
    "jaeger.api_v2.QueryService",
    "grpc.health.v1.Health",
  ]) {
    expect(answer.toString("latin1")).toContain(service);
  }
});

test("a taken port is told in one line", async () => {
  const { reader } = await sampleStore([]);
  const port = await open(reader);
  await expect(
    openGrpcServer({
      address: parseHostPort(`127.0.0.1:${port}`)!,
      tls: undefined,
      ...sampleSettings(),
      service: sampleService(reader),
      log,
    }),
  ).rejects.toThrow(`query over gRPC: address 127.0.0.1:${port} is taken by another program`);
});

describe("with tenancy", () => {
  const metadataOf = (...tenants: string[]) => {
    const metadata = new Metadata();
    for (const tenant of tenants) {
      metadata.add("x-tenant", tenant);
    }
    return metadata;
  };
  const now = { seconds: 1n, nanos: 0 };

  test.each([
    [[], status.UNAUTHENTICATED, "missing tenant header"],
    [["acme", "acme"], status.PERMISSION_DENIED, "extra tenant header"],
    [["nobody"], status.PERMISSION_DENIED, "unknown tenant"],
  ])("every method refuses %j", async (tenants, code, details) => {
    const { reader } = await sampleStore([otlpSpan()], "acme");
    const { unary, stream } = clientOf(await open(reader, sampleTenants("acme", "other")));
    const trace = getTrace(Buffer.from(sampleTraceId, "hex"));
    const metadata = metadataOf(...tenants);
    const refused = { code, details };
    await expect(chunksOf(stream("getTrace", trace, {}, metadata))).rejects.toMatchObject(refused);
    await expect(chunksOf(stream("findTraces", { query: everything }, {}, metadata))).rejects.toMatchObject(
      refused,
    );
    for (const [method, request] of [
      ["getServices", {}],
      ["getOperations", { service: "shop", spanKind: "" }],
      ["archiveTrace", trace],
      ["getDependencies", { startTime: now, endTime: now }],
    ] as const) {
      await expect(unary(method, request, metadata)).rejects.toMatchObject(refused);
    }
  });

  test("each tenant sees its own", async () => {
    const { reader } = await sampleStore([otlpSpan()], "acme");
    const { unary, stream } = clientOf(await open(reader, sampleTenants("acme", "other")));
    const trace = getTrace(Buffer.from(sampleTraceId, "hex"));
    const [acme, other] = [metadataOf("acme"), metadataOf("other")];
    expect(await unary("getServices", {}, acme)).toEqual({ services: ["shop"] });
    expect(await unary("getServices", {}, other)).toEqual({ services: [] });
    expect(await chunksOf(stream("getTrace", trace, {}, acme))).toHaveLength(1);
    await expect(chunksOf(stream("getTrace", trace, {}, other))).rejects.toMatchObject({
      code: status.NOT_FOUND,
    });
    expect(await chunksOf(stream("findTraces", { query: everything }, {}, acme))).toHaveLength(1);
    expect(await chunksOf(stream("findTraces", { query: everything }, {}, other))).toEqual([]);
  });
});
