// MetricsQueryService, api_v3, archive and dependencies over a real connection, under both names.

import {
  type Client,
  credentials,
  Metadata,
  makeGenericClientConstructor,
  type ServiceDefinition,
  type ServiceError,
  status,
} from "@grpc/grpc-js";
import { createLogger, parseHostPort } from "lifecycle";
import { type TraceStore, unsupported } from "storage/api";
import { openMemoryStore } from "storage/memory";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { queryServiceV3 } from "wire/api-v3";
import { metricsQueryService, queryService, rpcServiceName, withPublicNames } from "wire/grpc";
import type { GetMetricsResponse } from "wire/metrics-query";
import { SpanRowWriter } from "wire/rows";
import { decodeTraces } from "wire/testing/decode-traces";
import { otlpSpan, sampleTraceId } from "../service/sample-store.ts";
import { sampleService, sampleSettings } from "../testing/sample-service.ts";
import { type GrpcServer, openGrpcServer } from "./grpc-server.ts";

const log = createLogger({ name: "test", level: "fatal", encoding: "json" });
const address = parseHostPort("127.0.0.1:0")!;

/** On the hour, so that a step is a slot of counts. */
const hourMs = Math.floor(Date.now() / 3_600_000 - 1) * 3_600_000;
const startTimeUnixNano = BigInt(hourMs) * 1_000_000n;

let store: TraceStore;
let server: GrpcServer;

beforeAll(async () => {
  store = openMemoryStore();
  const writer = new SpanRowWriter();
  const spans = [
    otlpSpan({ startTimeUnixNano, durationNano: 8_000_000n, status: { code: "error", message: "" } }),
    otlpSpan({
      startTimeUnixNano,
      spanId: "00000000000000a2",
      kind: "client",
      parentSpanId: "d8b7eb2154448f9d",
    }),
    otlpSpan({
      startTimeUnixNano,
      service: "stock",
      spanId: "00000000000000a3",
      parentSpanId: "00000000000000a2",
    }),
    ...Array.from({ length: 1_200 }, (_, index) =>
      otlpSpan({
        traceId: `${"0".repeat(28)}1a49`,
        startTimeUnixNano: startTimeUnixNano - 7_200_000_000_000n,
        service: "large",
        spanId: (index + 1).toString(16).padStart(16, "0"),
        attributes: [{ key: "text", value: { type: "string", value: "x".repeat(10_000) } }],
      }),
    ),
  ];
  for (const span of spans) {
    writer.append(span, "");
  }
  await store.writer.writeSpans(writer.take(), { deduplicationToken: "spans" });
  server = await openGrpcServer({
    ...sampleSettings(),
    address,
    tls: undefined,
    service: sampleService(store),
    log,
  });
});

afterAll(() => server.stop(AbortSignal.abort()));

function clientOf(definition: ServiceDefinition, port = server.port) {
  const Generic = makeGenericClientConstructor(definition, rpcServiceName(definition));
  const client: Client & Record<string, unknown> = new Generic(
    `127.0.0.1:${port}`,
    credentials.createInsecure(),
  ) as never;
  onTestFinished(() => client.close());
  const call = (method: string, ...args: unknown[]) =>
    (client[method] as (...all: unknown[]) => unknown).apply(client, args);
  return {
    unary: <Response>(method: string, request: object) =>
      new Promise<Response>((resolve, reject) => {
        call(method, request, new Metadata(), (error: ServiceError | null, answer: Response) =>
          error === null ? resolve(answer) : reject(error),
        );
      }),
    async stream(method: string, request: object): Promise<Buffer[]> {
      const messages: Buffer[] = [];
      for await (const message of call(method, request) as AsyncIterable<Buffer>) {
        messages.push(message);
      }
      return messages;
    },
  };
}

const timeOf = (unixMs: number) => ({ seconds: BigInt(unixMs / 1_000), nanos: 0 });
const baseRequest = {
  serviceNames: ["shop", "stock"],
  groupByOperation: false,
  endTime: timeOf(hourMs + 600_000),
  lookback: { seconds: 0n, nanos: 0 },
  step: { seconds: 60n, nanos: 0 },
  ratePer: { seconds: 600n, nanos: 0 },
  spanKinds: [],
};

function shown({ metrics }: GetMetricsResponse) {
  return {
    name: metrics?.name,
    help: metrics?.help,
    series: metrics?.metrics.map(({ labels, metricPoints }) => [
      ...labels.map(({ name, value }) => `${name}=${value}`),
      ...metricPoints.map(
        ({ value }) => (value as never as { value: { value: { value: number } } }).value.value.value,
      ),
    ]),
  };
}

describe.each(withPublicNames(metricsQueryService))("metrics as %#", (definition) => {
  const ask = async (method: string, request: object) =>
    shown(await clientOf(definition).unary<GetMetricsResponse>(method, request));

  test("rates", async () => {
    expect(await ask("getCallRates", { baseRequest })).toEqual({
      name: "service_call_rate",
      help: "calls/sec, grouped by service",
      series: [
        ["service_name=shop", 1 / 600],
        ["service_name=stock", 1 / 600],
      ],
    });
  });

  test("errors, of each operation", async () => {
    const found = await ask("getErrorRates", {
      baseRequest: { ...baseRequest, groupByOperation: true, spanKinds: [2, 3] },
    });
    expect(found).toEqual({
      name: "service_operation_error_rate",
      help: "error rate, computed as a fraction of errors/sec over calls/sec, grouped by service & operation",
      series: [
        ["operation=GET /", "service_name=shop", 0.5],
        ["operation=GET /", "service_name=stock", 0],
      ],
    });
  });

  test("latencies", async () => {
    const found = await ask("getLatencies", { baseRequest, quantile: 0.5 });
    expect(found.help).toBe("0.50th quantile latency, grouped by service");
    const milliseconds = Number(found.series?.[0]?.[1]);
    expect(milliseconds / 8).toBeGreaterThan(0.9);
    expect(milliseconds / 8).toBeLessThan(1.1);
  });

  test("the least step", async () => {
    expect(await clientOf(definition).unary("getMinStepDuration", {})).toEqual({
      minStep: { seconds: 0n, nanos: 1_000_000 },
    });
  });
});

test.each([
  ["getCallRates", {}, status.INVALID_ARGUMENT, "please provide at least one service name"],
  [
    "getLatencies",
    { baseRequest, quantile: 0 },
    status.INVALID_ARGUMENT,
    "please provide a quantile between (0, 1]",
  ],
  [
    "getCallRates",
    { baseRequest: { ...baseRequest, step: { seconds: 0n, nanos: 0 } } },
    status.INVALID_ARGUMENT,
    "failed to fetch call rates: a step of 0 ms is not above 0",
  ],
])("%s %#: %d %s", async (method, request, code, details) => {
  const { unary } = clientOf(metricsQueryService);
  await expect(unary(method, { baseRequest: undefined, quantile: 0, ...request })).rejects.toMatchObject({
    code,
    details,
  });
});

test("no metrics of a store that has none", async () => {
  const { port, stop } = await openGrpcServer({
    ...sampleSettings(),
    address,
    tls: undefined,
    service: sampleService({ ...unsupported("none"), reader: store.reader }),
    log,
  });
  onTestFinished(() => stop(AbortSignal.abort()));
  const { unary } = clientOf(metricsQueryService, port);
  const refused = { code: status.UNIMPLEMENTED, details: "metrics querying is currently disabled" };
  await expect(unary("getMinStepDuration", {})).rejects.toMatchObject(refused);
  await expect(unary("getCallRates", { baseRequest })).rejects.toMatchObject(refused);
  await expect(unary("getErrorRates", { baseRequest })).rejects.toMatchObject(refused);
});

describe.each(withPublicNames(queryServiceV3))("api_v3 as %#", (definition) => {
  const query = {
    serviceName: "shop",
    operationName: "",
    attributes: {},
    startTimeMin: timeOf(hourMs - 1_000),
    startTimeMax: timeOf(hourMs + 1_000),
    durationMin: undefined,
    durationMax: undefined,
    numTraces: 0,
  };

  test("a trace and a search, as OTLP", async () => {
    const { stream } = clientOf(definition);
    const [message, ...rest] = await stream("getTrace", { traceId: sampleTraceId });
    expect(rest).toEqual([]);
    const spans = decodeTraces(message!);
    expect(spans.map(({ resource }) => resource.serviceName)).toEqual(["shop", "shop", "stock"]);
    expect(spans[0]?.attributes).toEqual([
      { key: "internal.span.format", value: { type: "string", value: "otlp" } },
    ]);
    expect(await stream("findTraces", { query })).toEqual([message]);
    const tagged = { ...query, attributes: { "span.kind": "producer" } };
    expect(await stream("findTraces", { query: tagged })).toEqual([]);
  });

  test("a large trace comes in messages that clients take", async () => {
    const messages = await clientOf(definition).stream("getTrace", { traceId: "1a49" });
    expect(messages.length).toBeGreaterThan(3);
    expect(messages.flatMap((message) => decodeTraces(message))).toHaveLength(1_200);
  });

  test("names", async () => {
    const { unary } = clientOf(definition);
    expect(await unary("getServices", {})).toEqual({ services: ["large", "shop", "stock"] });
    expect(await unary("getOperations", { service: "shop", spanKind: "client" })).toEqual({
      operations: [{ name: "GET /", spanKind: "client" }],
    });
    expect(await unary("getOperations", { service: "shop", spanKind: "none" })).toEqual({ operations: [] });
  });

  test("summaries of a search, and dependencies", async () => {
    const { stream, unary } = clientOf(definition);
    expect(await stream("findTraceSummaries", { query })).toEqual([
      {
        summaries: [
          {
            traceId: sampleTraceId,
            rootServiceName: "shop",
            rootOperationName: "GET /",
            minStartTimeUnixNano: expect.any(BigInt),
            maxEndTimeUnixNano: expect.any(BigInt),
            spanCount: 3,
            errorSpanCount: 1,
            orphanSpanCount: 0,
            services: [
              { name: "shop", spanCount: 2, errorSpanCount: 1 },
              { name: "stock", spanCount: 1, errorSpanCount: 0 },
            ],
          },
        ],
      },
    ]);
    expect(await stream("findTraceSummaries", { query: { ...query, serviceName: "none" } })).toEqual([]);
    const times = { startTime: timeOf(hourMs), endTime: timeOf(hourMs + 60_000) };
    expect(await unary("getDependencies", times)).toEqual({
      dependencies: [{ parent: "shop", child: "stock", callCount: 1n }],
    });
    await expect(
      unary("getDependencies", { startTime: times.endTime, endTime: times.startTime }),
    ).rejects.toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: "end_time must be after start_time",
    });
  });

  test.each([
    [
      "findTraceSummaries",
      { query: { ...query, filter: Buffer.from([10, 0]) } },
      status.INVALID_ARGUMENT,
      "filter is not supported: ask with attributes, or with TraceQL at /tempo/api/search",
    ],
    [
      "getTrace",
      { traceId: "zz" },
      status.UNKNOWN,
      'malform trace ID: strconv.ParseUint: parsing "zz": invalid syntax',
    ],
    ["getTrace", { traceId: "dead" }, status.UNKNOWN, "cannot retrieve trace: trace not found"],
    ["findTraces", {}, status.INVALID_ARGUMENT, "missing query"],
    [
      "findTraces",
      { query: { ...query, startTimeMin: undefined } },
      status.UNKNOWN,
      "start time min and max are required parameters",
    ],
    [
      "findTraces",
      { query: { ...query, numTraces: 10_001 } },
      status.INVALID_ARGUMENT,
      "failed when searching for traces: a search for 10001 traces is over the limit of 10000 of --query.max-traces",
    ],
  ])("%s %#: %d %s", async (method, request, code, details) => {
    await expect(clientOf(definition).stream(method, request)).rejects.toMatchObject({ code, details });
  });
});

test("dependencies of a time, from its start to its end", async () => {
  const { unary } = clientOf(queryService);
  const ask = (startMs: number, endMs: number) =>
    unary("getDependencies", { startTime: timeOf(startMs), endTime: timeOf(endMs) });
  const links = [{ parent: "shop", child: "stock", callCount: 1n, source: "" }];
  expect(await ask(hourMs, hourMs + 60_000)).toEqual({ dependencies: links });
  expect(await ask(hourMs + 60_000, hourMs + 120_000)).toEqual({ dependencies: [] });
  expect(await ask(hourMs + 60_000, hourMs)).toEqual({ dependencies: [] });
});

test("an archived trace outlives the store's own, and is not doubled", async () => {
  const { unary } = clientOf(queryService);
  const traceId = Buffer.from(sampleTraceId, "hex");
  expect(await unary("archiveTrace", { traceId })).toEqual({});
  expect(await unary("archiveTrace", { traceId })).toEqual({});
  await expect(
    unary("archiveTrace", { traceId: Buffer.from("dead".padStart(32, "0"), "hex") }),
  ).rejects.toMatchObject({ code: status.NOT_FOUND, details: "trace not found: trace not found" });
  const emptied = { ...store, reader: openMemoryStore().reader };
  const { port, stop } = await openGrpcServer({
    ...sampleSettings(),
    address,
    tls: undefined,
    service: sampleService(emptied),
    log,
  });
  onTestFinished(() => stop(AbortSignal.abort()));
  const [message] = await clientOf(queryServiceV3, port).stream("getTrace", { traceId: sampleTraceId });
  expect(decodeTraces(message!)).toHaveLength(3);
});
