import { deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { type CorpusMessage, corpusIds, corpusSeconds } from "./corpus-message.ts";
import { otlpRequests } from "./otlp-requests.ts";
import { protobufMessage } from "./protobuf-message.ts";

const requestType = "opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest";
const exportPath = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
const protobufHeaders = { "content-type": "application/x-protobuf" };
const jsonHeaders = { "content-type": "application/json" };

function fixed64(value: bigint): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes.toString("hex");
}

const field = (tag: string, content: string) =>
  `${tag}${(content.length / 2).toString(16).padStart(2, "0")}${content}`;
const ascii = (value: string) => Buffer.from(value).toString("hex");

/**
 * A request written by hand: fields in an unusual order, a status in two parts, unknown fields of every wire type, and
 * a resource after its spans.
 */
function byHand(traceId: string, spanId: string, service: string): Uint8Array {
  const start = fixed64(BigInt(corpusSeconds) * 1_000_000_000n);
  const unknown = `d03e01${field("da3e", ascii("unknown"))}d93e0102030405060708dd3e01020304`;
  const span = [
    field("2a", ascii("overwritten")),
    `39${start}41${start}`,
    field("7a", field("12", ascii("in parts"))),
    field("7a", "1802"),
    unknown,
    field("4a", field("0a", ascii("k")) + field("12", field("0a", ascii("v")))),
    // An attribute without a value, and an attribute with two values, of which the last counts.
    field("4a", field("0a", ascii("valueless"))),
    field("4a", field("12", `${field("0a", ascii("text"))}1807`) + field("0a", ascii("twice"))),
    field("12", spanId),
    field("0a", traceId),
    field("2a", ascii("by hand")),
    "3002",
  ].join("");
  const resource = field("0a", field("0a", ascii("service.name")) + field("12", field("0a", ascii(service))));
  return Buffer.from(field2("0a", field2("12", field2("12", span)) + field("0a", resource)), "hex");
}

/** Like `field`, for content of 128 to 16383 bytes. */
function field2(tag: string, content: string): string {
  const length = content.length / 2;
  const varint = Buffer.from([(length & 0x7f) | 0x80, length >> 7]).toString("hex");
  return `${tag}${varint}${content}`;
}

function overGrpc(): CorpusMessage[] {
  const ids = corpusIds("01");
  const delivery = { over: "grpc", door: "otlpGrpc", path: exportPath } as const;
  return [
    ...otlpRequests("otlp-grpc", ids)
      .filter(({ only }) => only !== "json")
      .map(({ name, request, traceIds }) => ({
        name: `OTLP over gRPC: ${name}`,
        delivery,
        body: protobufMessage(requestType, request),
        traceIds,
      })),
    {
      name: "OTLP over gRPC: by hand",
      delivery,
      body: byHand(ids.trace(0xff), ids.span(0xff00), "otlp-grpc by hand"),
      traceIds: [ids.trace(0xff)],
    },
  ];
}

/** HTTP bodies are read like gRPC messages, so a few cases are enough. */
const overHttpToo = new Set(["every type", "events", "scopes", "short ids", "nothing", "not numbers"]);

function protobufOverHttp(): CorpusMessage[] {
  const ids = corpusIds("02");
  const delivery = { over: "http", door: "otlpHttp", path: "/v1/traces", headers: protobufHeaders } as const;
  return [
    ...otlpRequests("otlp-protobuf", ids)
      .filter(({ name }) => overHttpToo.has(name))
      .map(({ name, request, traceIds }) => ({
        name: `OTLP protobuf over HTTP: ${name}`,
        delivery,
        body: protobufMessage(requestType, request),
        traceIds,
      })),
    {
      name: "OTLP protobuf over HTTP: by hand",
      delivery,
      body: byHand(ids.trace(0xff), ids.span(0xff00), "otlp-protobuf by hand"),
      traceIds: [ids.trace(0xff)],
    },
  ];
}

function jsonOverHttp(): CorpusMessage[] {
  const ids = corpusIds("03");
  return otlpRequests("otlp-json", ids)
    .filter(({ only }) => only !== "protobuf")
    .map(({ name, request, traceIds }) => ({
      name: `OTLP JSON over HTTP: ${name}`,
      delivery: { over: "http", door: "otlpHttp", path: "/v1/traces", headers: jsonHeaders },
      body: Buffer.from(JSON.stringify(request)),
      traceIds,
    }));
}

/** Computes the checksum CRC-32C. Source: RFC 3720, appendix B.4. */
function crc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) {
      crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
    }
  }
  return ~crc >>> 0;
}

/** Makes a snappy stream with one uncompressed chunk. Source: google/snappy framing_format.txt. */
function snappyStream(bytes: Uint8Array): Uint8Array {
  const crc = crc32c(bytes);
  const head = Buffer.alloc(8);
  head.writeUInt8(0x01, 0);
  head.writeUIntLE(bytes.length + 4, 1, 3);
  head.writeUInt32LE((((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0, 4);
  return Buffer.concat([Buffer.from("ff060000734e61507059", "hex"), head, bytes]);
}

/** An LZ4 frame with one uncompressed block. Source: lz4/lz4 doc/lz4_Frame_format.md. */
function lz4Frame(bytes: Uint8Array): Uint8Array {
  const size = Buffer.alloc(4);
  size.writeUInt32LE((bytes.length | 0x80000000) >>> 0);
  return Buffer.concat([Buffer.from("04224d18604082", "hex"), size, bytes, Buffer.alloc(4)]);
}

const encodings: readonly [name: string, encode: (bytes: Uint8Array) => Uint8Array][] = [
  ["gzip", gzipSync],
  ["deflate", deflateSync],
  ["zstd", zstdCompressSync],
  ["snappy", snappyStream],
  ["lz4", lz4Frame],
];

function compressed(): CorpusMessage[] {
  const ids = corpusIds("10");
  return encodings.map(([encoding, encode], index) => ({
    name: `OTLP protobuf over HTTP: in ${encoding}`,
    delivery: {
      over: "http",
      door: "otlpHttp",
      path: "/v1/traces",
      headers: { ...protobufHeaders, "content-encoding": encoding },
    },
    body: encode(byHand(ids.trace(index), ids.span(index), `otlp in ${encoding}`)),
    traceIds: [ids.trace(index)],
  }));
}

/** Messages for the ports 4317 and 4318. */
export const otlpMessages: readonly CorpusMessage[] = [
  ...overGrpc(),
  ...protobufOverHttp(),
  ...jsonOverHttp(),
  ...compressed(),
];
