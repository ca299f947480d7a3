import { encodeThriftBatch } from "wire/testing/encode-agent-packet";
import { field } from "../bad-input/otlp-spans.ts";
import type { GrpcEnd } from "../bad-input/raw-grpc.ts";
import { GrpcLane } from "./grpc-lane.ts";
import { type HttpEnd, HttpLane } from "./http-lane.ts";
import type { SpanBatch } from "./span-ledger.ts";

/** Addresses of a collector's ports for spans. */
export interface CollectorAddresses {
  /** host:port, like all addresses. */
  readonly otlpGrpc: string;
  readonly otlpHttp: string;
  readonly apiV2Grpc: string;
  readonly thriftHttp: string;
  readonly zipkinHttp: string;
}

/** The collector's answer. @throws Error from `send` without an answer */
export interface DoorAnswer {
  readonly isKept: boolean;
  /** Status and hint, such as `429, Retry-After 5`. */
  readonly text: string;
}

/** One sender's connection over one protocol. */
export interface SpanDoor {
  /** @throws Error when there was no answer */
  send(batch: SpanBatch): Promise<DoorAnswer>;
  close(): void;
}

/** Milliseconds without an answer after which a sender gives up. */
const deadlineMs = 15_000;
const service = "fault-test";
const durationUs = 1_500;

/** Every protocol of the collector. @param ballast each span has an attribute of this many bytes */
export const doorNames = ["OTLP gRPC", "OTLP HTTP JSON", "PostSpans", "Thrift HTTP", "Zipkin"] as const;
export type DoorName = (typeof doorNames)[number];

/** Opens a sender. @param ballast text of an attribute of each span */
export function openDoor(name: DoorName, addresses: CollectorAddresses, ballast: string): SpanDoor {
  switch (name) {
    case "OTLP gRPC":
      return overGrpc(
        addresses.otlpGrpc,
        "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
        (batch) => otlpRequest(batch, ballast),
      );
    case "PostSpans":
      return overGrpc(addresses.apiV2Grpc, "/tracing.api_v2.CollectorService/PostSpans", (batch) =>
        postSpansRequest(batch, ballast),
      );
    case "OTLP HTTP JSON":
      return overHttp(`http://${addresses.otlpHttp}/v1/traces`, "application/json", (batch) =>
        otlpJson(batch, ballast),
      );
    case "Thrift HTTP":
      return overHttp(`http://${addresses.thriftHttp}/api/traces`, "application/x-thrift", (batch) =>
        thriftBatch(batch, ballast),
      );
    case "Zipkin":
      return overHttp(`http://${addresses.zipkinHttp}/api/v2/spans`, "application/json", (batch) =>
        zipkinJson(batch, ballast),
      );
  }
}

function overGrpc(address: string, path: string, encode: (batch: SpanBatch) => Buffer): SpanDoor {
  const lane = new GrpcLane(address, deadlineMs);
  return {
    send: async (batch) => answerOfGrpc(await lane.call(path, encode(batch))),
    close: () => lane.close(),
  };
}

function overHttp(url: string, contentType: string, encode: (batch: SpanBatch) => Buffer): SpanDoor {
  const lane = new HttpLane(deadlineMs);
  return {
    send: async (batch) => answerOfHttp(await lane.post(url, contentType, encode(batch))),
    close: () => lane.close(),
  };
}

/** `RetryInfo { retry_delay { seconds } }` is the last of the details of a google.rpc.Status. */
function answerOfGrpc({ code, details }: GrpcEnd): DoorAnswer {
  const hasRetryInfo = details.includes("type.googleapis.com/google.rpc.RetryInfo");
  const hint = hasRetryInfo ? `RetryInfo of ${details.at(-1)} s` : "no RetryInfo";
  return { isKept: code === "OK", text: `${code}, ${hint}` };
}

function answerOfHttp({ status, retryAfter }: HttpEnd): DoorAnswer {
  const hint = retryAfter === "" ? "no Retry-After" : `Retry-After ${retryAfter}`;
  return { isKept: status === 200 || status === 202, text: `${status}, ${hint}` };
}

function varintField(number: number, value: number): Buffer {
  const bytes = [number * 8];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) {
    bytes.push((rest % 128) + 128);
  }
  return Buffer.from([...bytes, rest]);
}

function fixed64Field(number: number, value: bigint): Buffer {
  const bytes = Buffer.alloc(9);
  bytes[0] = number * 8 + 1;
  bytes.writeBigUInt64LE(value, 1);
  return bytes;
}

/** `KeyValue` of OTLP. */
function otlpAttribute(key: string, value: string): Buffer {
  return Buffer.concat([field(1, Buffer.from(key)), field(2, field(1, Buffer.from(value)))]);
}

function otlpRequest({ traceId, spanIds }: SpanBatch, ballast: string): Buffer {
  const startNs = BigInt(Date.now()) * 1_000_000n;
  const rest = Buffer.concat([
    field(5, Buffer.from("work")),
    fixed64Field(7, startNs),
    fixed64Field(8, startNs + BigInt(durationUs) * 1_000n),
    field(9, otlpAttribute("ballast", ballast)),
  ]);
  const spans = spanIds.map((spanId) => field(2, field(1, traceId), field(2, spanId), rest));
  return field(1, field(1, field(1, otlpAttribute("service.name", service))), field(2, ...spans));
}

function otlpJson({ traceId, spanIds }: SpanBatch, ballast: string): Buffer {
  const startNs = BigInt(Date.now()) * 1_000_000n;
  const spans = spanIds.map((spanId) => ({
    traceId: traceId.toString("hex"),
    spanId: spanId.toString("hex"),
    name: "work",
    kind: 1,
    startTimeUnixNano: String(startNs),
    endTimeUnixNano: String(startNs + BigInt(durationUs) * 1_000n),
    attributes: [{ key: "ballast", value: { stringValue: ballast } }],
  }));
  const resource = { attributes: [{ key: "service.name", value: { stringValue: service } }] };
  return Buffer.from(JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] }));
}

function postSpansRequest({ traceId, spanIds }: SpanBatch, ballast: string): Buffer {
  const nowMs = Date.now();
  const start = [varintField(1, Math.floor(nowMs / 1_000)), varintField(2, (nowMs % 1_000) * 1_000_000)];
  const rest = Buffer.concat([
    field(3, Buffer.from("work")),
    field(6, ...start),
    field(7, varintField(2, durationUs * 1_000)),
    field(8, field(1, Buffer.from("ballast")), field(3, Buffer.from(ballast))),
  ]);
  const spans = spanIds.map((spanId) => field(1, field(1, traceId), field(2, spanId), rest));
  return field(1, ...spans, field(2, field(1, Buffer.from(service))));
}

function thriftBatch({ traceId, spanIds }: SpanBatch, ballast: string): Buffer {
  const i64 = (id: Buffer, at = 0) => ({ high: id.readInt32BE(at), low: id.readInt32BE(at + 4) });
  const startUs = Buffer.alloc(8);
  startUs.writeBigInt64BE(BigInt(Date.now()) * 1_000n);
  return encodeThriftBatch(
    {
      process: { serviceName: service, tags: [] },
      spans: spanIds.map((spanId) => ({
        traceIdLow: i64(traceId, 8),
        traceIdHigh: i64(traceId),
        spanId: i64(spanId),
        parentSpanId: { high: 0, low: 0 },
        operationName: "work",
        flags: 1,
        startTime: i64(startUs),
        duration: { high: 0, low: durationUs },
        tags: [{ key: "ballast", vType: 0, vStr: ballast }],
      })),
    },
    "binary",
  );
}

function zipkinJson({ traceId, spanIds }: SpanBatch, ballast: string): Buffer {
  const spans = spanIds.map((spanId) => ({
    traceId: traceId.toString("hex"),
    id: spanId.toString("hex"),
    name: "work",
    timestamp: Date.now() * 1_000,
    duration: durationUs,
    localEndpoint: { serviceName: service },
    tags: { ballast },
  }));
  return Buffer.from(JSON.stringify(spans));
}
