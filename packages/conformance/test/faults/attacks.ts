import { randomBytes } from "node:crypto";
import { connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { field, jsonRequest, jsonSpan, protobufRequest, protobufSpan } from "../bad-input/otlp-spans.ts";
import { grpcFrame } from "../bad-input/raw-grpc.ts";
import { pick, type Random } from "./seeded-random.ts";
import type { CollectorAddresses } from "./span-doors.ts";

/** The inputs of an attack. */
export interface Attacked {
  readonly addresses: CollectorAddresses;
  /** host:port of every listener of the collector, including its admin port. */
  readonly all: readonly string[];
  readonly random: Random;
  /** Aborted at the end of all attacks, so that all waits end. */
  readonly signal: AbortSignal;
}

/** One round of an attack; it never throws, and closes all its connections. */
export type Attack = (attacked: Attacked) => Promise<void>;

const readMs = 100;
const bombBytes = 30 * 1024 * 1024;
const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "latin1");
const exportPath = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
const postSpansPath = "/tracing.api_v2.CollectorService/PostSpans";
const reflectionPath = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";

async function opened(address: string): Promise<Socket> {
  const [host, port] = address.split(":");
  const socket = connect({ host: String(host), port: Number(port), allowHalfOpen: true });
  socket.on("error", () => {});
  await new Promise<void>((resolve) => {
    socket.once("connect", () => resolve());
    socket.once("close", () => resolve());
  });
  return socket;
}

/** Waits until the other side closes, at most `ms` milliseconds. */
async function wait(socket: Socket, ms: number, signal: AbortSignal): Promise<void> {
  if (socket.destroyed || signal.aborted) {
    return;
  }
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = () => resolve();
  const timer = setTimeout(done, ms);
  socket.once("close", done);
  signal.addEventListener("abort", done);
  await promise;
  clearTimeout(timer);
  socket.removeListener("close", done);
  signal.removeEventListener("abort", done);
}

/** Sends bytes, reads the answer for a moment, and disconnects in one of three ways. */
async function fling(address: string, bytes: Uint8Array, { random, signal }: Attacked): Promise<void> {
  const socket = await opened(address);
  // Some attackers read nothing of the answer.
  if (random(4) > 0) {
    socket.resume();
  }
  socket.write(bytes);
  const manner = random(3);
  if (manner === 0) {
    socket.end();
  }
  await wait(socket, readMs, signal);
  if (manner === 1) {
    socket.resetAndDestroy();
  } else {
    socket.destroy();
  }
}

/** Begins calls that do not end, with a client that follows the protocol, and leaves them after a while. */
async function beginCalls(
  address: string,
  path: string,
  body: Uint8Array,
  calls: number,
  ms: number,
  { signal }: Attacked,
): Promise<void> {
  // With a window of 0 bytes, no answer can be written.
  const session = connectHttp2(`http://${address}`, { settings: { initialWindowSize: 0 } });
  session.on("error", () => {});
  for (let call = 0; call < calls; call++) {
    const headers = { ":method": "POST", ":path": path, "content-type": "application/grpc", te: "trailers" };
    const stream = session.request(headers);
    stream.on("error", () => {});
    stream.write(body);
  }
  await sleep(ms, undefined, { signal }).catch(() => {});
  session.destroy();
}

function httpRequest(
  path: string,
  headers: readonly string[],
  body: Uint8Array,
  length = body.length,
): Buffer {
  const lines = [`POST ${path} HTTP/1.1`, "Host: x", ...headers, `Content-Length: ${length}`];
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), body]);
}

/** A frame of HTTP/2. */
function frame(type: number, flags: number, streamId: number, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(streamId, 5);
  return Buffer.concat([head, payload]);
}

/** Header fields of HPACK as literals without an index; texts are shorter than 127 bytes. */
function headerBlock(fields: readonly (readonly [string, string])[]): Buffer {
  const text = (value: string) => Buffer.concat([Buffer.from([value.length]), Buffer.from(value)]);
  return Buffer.concat(fields.flatMap(([name, value]) => [Buffer.from([0]), text(name), text(value)]));
}

function callHeaders(path: string, encoding = "identity"): Buffer {
  return headerBlock([
    [":method", "POST"],
    [":scheme", "http"],
    [":path", path],
    [":authority", "x"],
    ["content-type", "application/grpc"],
    ["grpc-encoding", encoding],
    ["te", "trailers"],
  ]);
}

const settings = frame(4, 0, 0, Buffer.alloc(0));
const begun = Buffer.concat([preface, settings]);

/** A gRPC call as bytes, in frames of the usual size. */
function grpcCall(path: string, body: Buffer, encoding?: string): Buffer {
  const pieces: Buffer[] = [begun, frame(1, 4, 1, callHeaders(path, encoding))];
  for (let at = 0; at < body.length; at += 16_384) {
    const isLast = at + 16_384 >= body.length;
    pieces.push(frame(0, isLast ? 1 : 0, 1, body.subarray(at, at + 16_384)));
  }
  return Buffer.concat(pieces);
}

function someSpan(): Buffer {
  return protobufRequest(protobufSpan(randomBytes(16), randomBytes(8)));
}

/** A good request of some protocol, and its address. */
function goodRequest({ addresses, random }: Attacked): { address: string; bytes: Buffer } {
  const span = jsonSpan();
  const json = Buffer.from(jsonRequest("attack", span));
  const zipkin = Buffer.from(JSON.stringify([{ traceId: span.traceId, id: span.traceId.slice(16) }]));
  return pick(random, [
    { address: addresses.otlpGrpc, bytes: grpcCall(exportPath, grpcFrame(someSpan())) },
    { address: addresses.apiV2Grpc, bytes: grpcCall(postSpansPath, grpcFrame(Buffer.alloc(0))) },
    {
      address: addresses.otlpHttp,
      bytes: httpRequest("/v1/traces", ["Content-Type: application/json"], json),
    },
    {
      address: addresses.otlpHttp,
      bytes: httpRequest("/v1/traces", ["Content-Type: application/x-protobuf"], someSpan()),
    },
    {
      address: addresses.thriftHttp,
      bytes: httpRequest("/api/traces", ["Content-Type: application/x-thrift"], Buffer.alloc(60, 12)),
    },
    {
      address: addresses.zipkinHttp,
      bytes: httpRequest("/api/v2/spans", ["Content-Type: application/json"], zipkin),
    },
  ]);
}

const compressed = {
  gzip: gzipSync(Buffer.alloc(bombBytes)),
  deflate: deflateSync(Buffer.alloc(bombBytes)),
  zstd: zstdCompressSync(Buffer.alloc(bombBytes)),
} as const;
const encodings = Object.keys(compressed) as (keyof typeof compressed)[];

const streamHeaders = (id: number) => frame(1, 4, id, callHeaders(exportPath));
/** Streams begin at 1 and have odd numbers. */
const each = (count: number, make: (streamId: number) => Buffer) =>
  Array.from({ length: count }, (_, index) => make(index * 2 + 1));

/** Attacks that have brought down HTTP/2 servers. */
const floods: readonly (() => Buffer)[] = [
  // Calls that are cancelled immediately after their start: CVE-2023-44487.
  () =>
    Buffer.concat([
      begun,
      ...each(2_000, (id) => Buffer.concat([streamHeaders(id), frame(3, 0, id, Buffer.alloc(4))])),
    ]),
  // Questions whose answers are not read: CVE-2019-9512, CVE-2019-9515.
  () => Buffer.concat([begun, ...each(5_000, () => frame(6, 0, 0, Buffer.alloc(8)))]),
  () => Buffer.concat([begun, ...each(5_000, () => settings)]),
  // A header block without end: CVE-2024-27316.
  () =>
    Buffer.concat([
      begun,
      frame(1, 0, 1, Buffer.alloc(0)),
      ...each(50, () => frame(9, 0, 1, Buffer.alloc(16_000))),
    ]),
  // Empty frames: CVE-2019-9518.
  () => Buffer.concat([begun, streamHeaders(1), ...each(5_000, () => frame(0, 0, 1, Buffer.alloc(0)))]),
  // More calls than the limit, which all stay open.
  () => Buffer.concat([begun, ...each(300, streamHeaders)]),
  // Windows that overflow, and that do not grow.
  () => Buffer.concat([begun, streamHeaders(1), frame(8, 0, 1, Buffer.from("7fffffff", "hex"))]),
  () => Buffer.concat([begun, frame(8, 0, 0, Buffer.alloc(4))]),
  // With a window of 0 bytes, no answer can be written.
  () =>
    Buffer.concat([
      preface,
      frame(4, 0, 0, Buffer.from("000400000000", "hex")),
      ...each(100, (id) => Buffer.concat([streamHeaders(id), frame(0, 1, id, Buffer.alloc(5))])),
    ]),
  // Frames whose length field is above the limit.
  () => Buffer.concat([begun, Buffer.from("ffffff000000000001", "hex"), Buffer.alloc(20_000)]),
];

/** By name. */
export const attacks: Readonly<Record<string, Attack>> = {
  "random bytes": async (attacked) => {
    await fling(pick(attacked.random, attacked.all), randomBytes(1 + attacked.random(65_536)), attacked);
  },

  "random frames of HTTP/2": async (attacked) => {
    const { random } = attacked;
    const frames = Array.from({ length: 1 + random(50) }, () =>
      frame(random(11), random(256), pick(random, [0, 1, 1, 3, 2]), randomBytes(random(300))),
    );
    const address = pick(random, [attacked.addresses.otlpGrpc, attacked.addresses.apiV2Grpc]);
    await fling(address, Buffer.concat([begun, ...frames]), attacked);
  },

  "damaged requests": async (attacked) => {
    const { random } = attacked;
    const { address, bytes } = goodRequest(attacked);
    for (let change = random(4); change >= 0; change--) {
      bytes[random(bytes.length)] = random(256);
    }
    await fling(address, bytes, attacked);
  },

  "requests broken off": async (attacked) => {
    const { address, bytes } = goodRequest(attacked);
    await fling(address, bytes.subarray(0, attacked.random(bytes.length)), attacked);
  },

  "requests at the wrong door": async (attacked) => {
    await fling(pick(attacked.random, attacked.all), goodRequest(attacked).bytes, attacked);
  },

  bombs: async (attacked) => {
    const { addresses, random } = attacked;
    const encoding = pick(random, encodings);
    const bomb = compressed[encoding];
    const headers = [`Content-Encoding: ${encoding}`, "Content-Type: application/json"];
    const [address, bytes] = pick(random, [
      [addresses.otlpHttp, httpRequest("/v1/traces", headers, bomb)],
      [addresses.zipkinHttp, httpRequest("/api/v2/spans", headers, bomb)],
      [addresses.zipkinHttp, httpRequest("/api/v1/spans", headers, bomb)],
      [addresses.otlpGrpc, grpcCall(exportPath, grpcFrame(bomb, { isCompressed: true }), encoding)],
      [addresses.apiV2Grpc, grpcCall(postSpansPath, grpcFrame(bomb, { isCompressed: true }), encoding)],
    ] as const);
    await fling(address, bytes, attacked);
  },

  "lengths that lie": async (attacked) => {
    const { addresses, random } = attacked;
    const length = pick(random, [19_000_000, 99_999_999_999, 4_294_967_295, 1_000]);
    const some = Buffer.alloc(100_000, 1);
    const headers = ["Content-Type: application/json"];
    const [address, bytes] = pick(random, [
      [addresses.otlpHttp, httpRequest("/v1/traces", headers, some, length)],
      [addresses.zipkinHttp, httpRequest("/api/v2/spans", headers, some, length)],
      [
        addresses.thriftHttp,
        httpRequest("/api/traces", ["Content-Type: application/x-thrift"], some, length),
      ],
      [addresses.otlpGrpc, grpcCall(exportPath, grpcFrame(some, { length: length % 2 ** 32 }))],
      [addresses.apiV2Grpc, grpcCall(postSpansPath, grpcFrame(some, { length: length % 2 ** 32 }))],
      [addresses.otlpGrpc, grpcCall(exportPath, grpcFrame(field(1, Buffer.from("0affffffff0f", "hex"))))],
    ] as const);
    await fling(address, bytes, attacked);
  },

  "values nested without end": async (attacked) => {
    const { addresses } = attacked;
    const headers = ["Content-Type: application/json"];
    await fling(addresses.otlpHttp, httpRequest("/v1/traces", headers, Buffer.alloc(500_000, "[")), attacked);
    await fling(addresses.zipkinHttp, httpRequest("/x", headers, Buffer.alloc(500_000, "[")), attacked);
    const thrift = ["Content-Type: application/x-thrift"];
    await fling(
      addresses.thriftHttp,
      httpRequest("/api/traces", thrift, Buffer.alloc(500_000, Buffer.from("0c0063", "hex"))),
      attacked,
    );
  },

  "floods of HTTP/2": async (attacked) => {
    const { addresses, random } = attacked;
    await fling(pick(random, [addresses.otlpGrpc, addresses.apiV2Grpc]), pick(random, floods)(), attacked);
  },

  "connections that say nothing": async ({ all, random, signal }) => {
    const sockets = await Promise.all(Array.from({ length: 20 }, () => opened(pick(random, all))));
    await sleep(2_000, undefined, { signal }).catch(() => {});
    for (const socket of sockets) {
      socket.destroy();
    }
  },

  "senders that take their time": async (attacked) => {
    const { random, signal } = attacked;
    const senders = Array.from({ length: 10 }, async () => {
      const { address, bytes } = goodRequest(attacked);
      const socket = await opened(address);
      socket.resume();
      for (let at = 0; at < bytes.length && at < 60 && !signal.aborted && !socket.destroyed; at++) {
        socket.write(bytes.subarray(at, at + 1));
        await wait(socket, 20 + random(60), signal);
      }
      socket.destroy();
    });
    await Promise.all(senders);
  },

  "senders that never finish a large body": async (attacked) => {
    const { addresses, random, signal } = attacked;
    const [address, path, type] = pick(random, [
      [addresses.otlpHttp, "/v1/traces", "application/json"],
      [addresses.zipkinHttp, "/api/v2/spans", "application/json"],
      [addresses.thriftHttp, "/api/traces", "application/x-thrift"],
    ] as const);
    const socket = await opened(address);
    socket.resume();
    const megabyte = Buffer.alloc(1_000_000, 1);
    socket.write(httpRequest(path, [`Content-Type: ${type}`], megabyte, 10_000_000));
    await wait(socket, 1_500, signal);
    socket.destroy();
  },

  "calls that never finish a large message": async (attacked) => {
    const { addresses, random } = attacked;
    const message = grpcFrame(Buffer.alloc(1_000_000, 1), { length: 4_000_000 });
    const [address, path] = pick(random, [
      [addresses.otlpGrpc, exportPath],
      [addresses.apiV2Grpc, postSpansPath],
    ] as const);
    await beginCalls(address, path, message, 10, 1_500, attacked);
  },

  "questions whose answers nobody reads": async (attacked) => {
    const symbol = Buffer.from("tracing.api_v2.CollectorService");
    const question = grpcFrame(field(4, symbol));
    const questions = Buffer.concat(Array.from({ length: 1_000 }, () => question));
    await beginCalls(attacked.addresses.apiV2Grpc, reflectionPath, questions, 10, 1_500, attacked);
  },
};
