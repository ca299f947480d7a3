import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { collectorService, queryService, withPublicNames } from "wire/grpc";
import type { AllProcesses } from "../../src/all-processes/all-processes.ts";
import { eventually } from "../../src/expect.ts";
import { askTraces } from "../../src/tracing-api/ask.ts";
import { callGrpc } from "../../src/tracing-api/call-grpc.ts";
import { field, protobufRequest, protobufSpan } from "./otlp-spans.ts";
import { grpcFrame, rawGrpc } from "./raw-grpc.ts";
import { rawHttp } from "./raw-http.ts";
import { staysUnharmed } from "./unharmed.ts";

const mebibyte = 1024 * 1024;

interface GrpcDoor {
  readonly address: () => string;
  readonly path: string;
  /** Status for bytes that are not a message. */
  readonly malformed: "INVALID_ARGUMENT" | "INTERNAL";
}

/** Requirements for every gRPC port. */
function framing({ address, path, malformed }: GrpcDoor): void {
  const bomb = gzipSync(Buffer.alloc(150e6));
  test.each<[string, Uint8Array, Record<string, string>, string]>([
    ["bytes that are no protobuf", grpcFrame(Buffer.from("no protobuf at all")), {}, malformed],
    ["a message that ends early", grpcFrame(Buffer.from([0x0a, 0xff, 0x01, 1, 2])), {}, malformed],
    ["a message of 5 MiB", grpcFrame(Buffer.alloc(5 * mebibyte)), {}, "RESOURCE_EXHAUSTED"],
    [
      "a frame that says 4 GB",
      grpcFrame(Buffer.from("x"), { length: 0xffff_ffff }),
      {},
      "RESOURCE_EXHAUSTED",
    ],
    [
      "a bomb of 150 MB",
      grpcFrame(bomb, { isCompressed: true }),
      { "grpc-encoding": "gzip" },
      "RESOURCE_EXHAUSTED",
    ],
    [
      "what is no gzip",
      grpcFrame(Buffer.from("x"), { isCompressed: true }),
      { "grpc-encoding": "gzip" },
      "INTERNAL",
    ],
    [
      "an unknown encoding",
      grpcFrame(Buffer.from("x"), { isCompressed: true }),
      { "grpc-encoding": "br" },
      "UNIMPLEMENTED",
    ],
    ["another content type", grpcFrame(Buffer.alloc(0)), { "content-type": "text/html" }, "HTTP 415"],
    ["a timeout that is none", grpcFrame(Buffer.alloc(0)), { "grpc-timeout": "soon" }, "INTERNAL"],
  ])("%s is refused", async (_, body, headers, code) => {
    expect((await rawGrpc(address(), path, body, headers)).code).toBe(code);
  });

  test.each(["X", "/../X"])("an unknown method (%s) is UNIMPLEMENTED", async (suffix) => {
    const end = await rawGrpc(address(), path + suffix, grpcFrame(Buffer.alloc(0)));
    expect(end.code).toBe("UNIMPLEMENTED");
  });

  test.each([
    ["HTTP/1.1", "GET / HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["HTTP/2 that breaks off into noise", `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${"\xff".repeat(500)}`],
  ])("%s on this port ends the connection", async (_, text) => {
    await rawHttp(`http://${address()}`, text);
  });
}

/** OTLP over gRPC. */
export function otlpGrpc(backend: () => AllProcesses): void {
  const address = () => backend().addresses.otlpGrpc;
  const path = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
  const send = (message: Uint8Array) => rawGrpc(address(), path, grpcFrame(message));
  const goodSpan = (traceId = randomBytes(16)) => protobufSpan(traceId, randomBytes(8));

  staysUnharmed({
    process: () => backend().collector,
    good: async () => expect((await send(protobufRequest(goodSpan()))).code).toBe("OK"),
    maxGrowthMiB: 192,
  });
  framing({ address, path, malformed: "INVALID_ARGUMENT" });

  test("an id of a wrong length costs its span, and no other of the request", async () => {
    const good = randomBytes(16);
    const bad = protobufSpan(randomBytes(5), randomBytes(8));
    expect((await send(protobufRequest(goodSpan(good), bad))).code).toBe("OK");
    const traces = `${backend().addresses.query}/api/traces`;
    await eventually(() => askTraces(`${traces}/${good.toString("hex")}`), 5_000);
  });
}

/** Tests of CollectorService.PostSpans, under each of its names. */
export function postSpans(backend: () => AllProcesses): void {
  const address = () => backend().addresses.collectorGrpc;
  const paths = withPublicNames(collectorService).map((definition) => definition.postSpans.path);
  const [path = ""] = paths;
  const batch = (...spans: Uint8Array[]) => field(1, ...spans.map((span) => field(1, span)));
  const span = (traceId: Uint8Array, spanId: Uint8Array) =>
    Buffer.concat([field(1, traceId), field(2, spanId)]);
  const send = (message: Uint8Array, to = path) => rawGrpc(address(), to, grpcFrame(message));

  staysUnharmed({
    process: () => backend().collector,
    good: async () => expect((await send(batch(span(randomBytes(16), randomBytes(8))))).code).toBe("OK"),
    maxGrowthMiB: 192,
  });
  framing({ address, path, malformed: "INTERNAL" });

  test.each(paths)("%s: ids of a wrong length are INTERNAL, as in the public model", async (to) => {
    for (const [traceBytes, spanBytes] of [
      [0, 8],
      [3, 8],
      [17, 8],
      [16, 0],
      [16, 9],
    ] as const) {
      const { code, message } = await send(batch(span(randomBytes(traceBytes), randomBytes(spanBytes))), to);
      expect([traceBytes, spanBytes, code, message]).toEqual([
        traceBytes,
        spanBytes,
        "INTERNAL",
        expect.stringMatching(/^invalid length for (TraceID|SpanID)/),
      ]);
    }
  });
}

/** QueryService. */
export function queryGrpc(backend: () => AllProcesses): void {
  const address = () => backend().addresses.queryGrpc;
  const search = {
    serviceName: "bad-query-grpc",
    operationName: "",
    tags: {},
    startTimeMin: undefined,
    startTimeMax: undefined,
    durationMin: undefined,
    durationMax: undefined,
    searchDepth: 0,
  };
  const find = (query: Partial<typeof search> | Record<string, unknown>) =>
    callGrpc(address(), queryService.findTraces, { query: { ...search, ...query } });

  staysUnharmed({
    process: () => backend().query,
    good: () => callGrpc(address(), queryService.getServices, {}),
    maxGrowthMiB: 128,
  });
  framing({ address, path: queryService.getTrace.path, malformed: "INTERNAL" });

  test("a search without a query, and a trace without an id, are INVALID_ARGUMENT", async () => {
    for (const { path } of [queryService.findTraces, queryService.getTrace]) {
      expect((await rawGrpc(address(), path, grpcFrame(Buffer.alloc(0)))).code).toBe("INVALID_ARGUMENT");
    }
  });

  const far = { seconds: 2n ** 62n, nanos: 2_147_483_647 };
  const past = { seconds: -(2n ** 62n), nanos: -5 };
  test.each<[string, Record<string, unknown>]>([
    ["times out of all bounds", { startTimeMin: past, startTimeMax: far }],
    ["times the wrong way round", { startTimeMin: far, startTimeMax: past }],
    ["durations out of all bounds", { durationMin: past, durationMax: far }],
    ["a negative depth", { searchDepth: -5 }],
    ["the greatest depth", { searchDepth: 2_147_483_647 }],
    [
      "SQL for names",
      { serviceName: "'; DROP TABLE spans; --", operationName: "{x:String}", tags: { "'": "{y:UInt8}" } },
    ],
  ])("a search with %s finds nothing", async (_, query) => {
    expect(await find(query)).toEqual([]);
  });
}
