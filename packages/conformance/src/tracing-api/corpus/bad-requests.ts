import { gzipSync } from "node:zlib";
import type { CorpusMessage, Delivery } from "./corpus-message.ts";

const bad = (name: string, delivery: Delivery, body: Uint8Array | string = ""): CorpusMessage => ({
  name,
  delivery,
  body: Buffer.from(body),
  traceIds: [],
});

type HttpDelivery = Extract<Delivery, { over: "http" }>;

const http = (
  door: HttpDelivery["door"],
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = "POST",
): HttpDelivery => ({ over: "http", door, path, headers, method });

const json = { "content-type": "application/json" };
const protobuf = { "content-type": "application/x-protobuf" };
const thrift = { "content-type": "application/x-thrift" };
const otlp = (headers: Readonly<Record<string, string>>) => http("otlpHttp", "/v1/traces", headers);
const batches = (headers: Readonly<Record<string, string>>) => http("collectorHttp", "/api/traces", headers);
const zipkin = (version: 1 | 2, headers: Readonly<Record<string, string>>) =>
  http("zipkin", `/api/v${version}/spans`, headers);
const grpc = (door: "otlpGrpc" | "collectorGrpc", path: string): Delivery => ({ over: "grpc", door, path });

const exportCall = grpc("otlpGrpc", "/opentelemetry.proto.collector.trace.v1.TraceService/Export");
const postSpans = grpc("collectorGrpc", "/jaeger.api_v2.CollectorService/PostSpans");

/** Requests that are refused or might be expected to be refused: status, type and text of the answers are compared. */
export const badRequests: readonly CorpusMessage[] = [
  bad("OTLP over HTTP: no type", otlp({}), "{}"),
  bad("OTLP over HTTP: text", otlp({ "content-type": "text/plain" }), "{}"),
  bad("OTLP over HTTP: empty body, protobuf", otlp(protobuf)),
  bad("OTLP over HTTP: empty body, JSON", otlp(json)),
  bad(
    "OTLP over HTTP: type with a parameter",
    otlp({ "content-type": "application/json; charset=utf-8" }),
    "{}",
  ),
  bad("OTLP over HTTP: JSON cut off", otlp(json), '{"resourceSpans":['),
  bad("OTLP over HTTP: JSON of another shape", otlp(json), '{"resourceSpans":{}}'),
  bad("OTLP over HTTP: an array", otlp(json), "[]"),
  bad(
    "OTLP over HTTP: trace id of wrong length",
    otlp(json),
    '{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"abcd","spanId":"00000000000000a1"}]}]}]}',
  ),
  bad("OTLP over HTTP: protobuf cut off", otlp(protobuf), Buffer.from("0a05", "hex")),
  bad("OTLP over HTTP: protobuf of wrong wire type", otlp(protobuf), Buffer.from("0801", "hex")),
  bad("OTLP over HTTP: not gzip", otlp({ ...json, "content-encoding": "gzip" }), "{}"),
  bad("OTLP over HTTP: gzip", otlp({ ...json, "content-encoding": "gzip" }), gzipSync("{}")),
  bad("OTLP over HTTP: unknown encoding", otlp({ ...json, "content-encoding": "br" }), "{}"),
  bad("OTLP over HTTP: GET", http("otlpHttp", "/v1/traces", {}, "GET")),
  bad("OTLP over HTTP: metrics", http("otlpHttp", "/v1/metrics", json), "{}"),
  bad("OTLP over HTTP: logs", http("otlpHttp", "/v1/logs", json), "{}"),
  bad("OTLP over HTTP: another path", http("otlpHttp", "/", json), "{}"),
  bad("OTLP over gRPC: cut off", exportCall, Buffer.from("0a05", "hex")),
  bad("OTLP over gRPC: wrong wire type", exportCall, Buffer.from("0801", "hex")),
  bad(
    "OTLP over gRPC: trace id of wrong length",
    exportCall,
    Buffer.from("0a0812061204 0a02abcd".replaceAll(" ", ""), "hex"),
  ),
  bad("OTLP over gRPC: empty", exportCall),
  bad(
    "OTLP over gRPC: unknown method",
    grpc("otlpGrpc", "/opentelemetry.proto.collector.trace.v1.TraceService/No"),
  ),
  bad("OTLP over gRPC: unknown service", grpc("otlpGrpc", "/a.B/C")),
  bad("PostSpans: cut off", postSpans, Buffer.from("0a05", "hex")),
  bad("PostSpans: wrong wire type", postSpans, Buffer.from("0801", "hex")),
  bad("PostSpans: trace id of wrong length", postSpans, Buffer.from("0a060a040a02abcd", "hex")),
  bad("PostSpans: span id of wrong length", postSpans, Buffer.from("0a060a041202abcd", "hex")),
  bad("PostSpans: unknown method", grpc("collectorGrpc", "/jaeger.api_v2.CollectorService/No")),
  bad("PostSpans: unknown service", grpc("collectorGrpc", "/a.B/C")),
  bad("Thrift over HTTP: no type", batches({}), ""),
  bad("Thrift over HTTP: JSON", batches(json), "{}"),
  bad("Thrift over HTTP: a type with markup", batches({ "content-type": "application/<x>" })),
  bad("Thrift over HTTP: a broken type", batches({ "content-type": "a/b/c" })),
  bad("Thrift over HTTP: empty body", batches(thrift)),
  bad("Thrift over HTTP: a stop", batches(thrift), Buffer.of(0)),
  bad("Thrift over HTTP: cut off", batches(thrift), Buffer.from("0c00010b000100000005", "hex")),
  bad("Thrift over HTTP: no spans", batches(thrift), Buffer.from("0c00010b0001000000016100" + "00", "hex")),
  bad("Thrift over HTTP: text", batches(thrift), "hello, world"),
  bad("Thrift over HTTP: negative length", batches(thrift), Buffer.from("0c00010b0001ffffffff", "hex")),
  bad("Thrift over HTTP: GET", http("collectorHttp", "/api/traces", {}, "GET")),
  bad("Thrift over HTTP: another path", http("collectorHttp", "/api/nope", thrift)),
  ...([1, 2] as const).flatMap((version) => [
    bad(`Zipkin v${version}: no type`, zipkin(version, {}), "[]"),
    bad(`Zipkin v${version}: empty body`, zipkin(version, json)),
    bad(`Zipkin v${version}: empty list`, zipkin(version, json), "[]"),
    bad(`Zipkin v${version}: cut off`, zipkin(version, json), '[{"traceId":'),
    bad(`Zipkin v${version}: an object`, zipkin(version, json), "{}"),
    bad(`Zipkin v${version}: no ids`, zipkin(version, json), "[{}]"),
    bad(
      `Zipkin v${version}: trace id of wrong length`,
      zipkin(version, json),
      '[{"traceId":"abc","id":"00000000000000a1"}]',
    ),
    bad(
      `Zipkin v${version}: zero ids`,
      zipkin(version, json),
      '[{"traceId":"0000000000000000","id":"0000000000000000"}]',
    ),
    bad(`Zipkin v${version}: not gzip`, zipkin(version, { ...json, "content-encoding": "gzip" }), "[]"),
    bad(`Zipkin v${version}: GET`, http("zipkin", `/api/v${version}/spans`, {}, "GET")),
  ]),
  bad("Zipkin v2 protobuf: cut off", zipkin(2, protobuf), Buffer.from("0a05", "hex")),
  bad("Zipkin v2 protobuf: wrong wire type", zipkin(2, protobuf), Buffer.from("0801", "hex")),
  bad("Zipkin v2 protobuf: empty body", zipkin(2, protobuf)),
  bad("Zipkin v1 Thrift: cut off", zipkin(1, thrift), Buffer.from("0c00000001", "hex")),
  bad("Zipkin v1 Thrift: empty body", zipkin(1, thrift)),
  bad("Zipkin: another path", http("zipkin", "/nope", json), "[]"),
];
