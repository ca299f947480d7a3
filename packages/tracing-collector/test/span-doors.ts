// Every way into the collector, for tests that send the same span through each of them.

import { Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import { ApiV2Span, PostSpansRequest } from "wire/api-v2";
import type { Span } from "wire/model";
import { encodeTraces, encodeTracesJson } from "wire/otlp";
import { encodeThriftBatch } from "wire/testing/encode-agent-packet";
import { encodeZipkinV1Json, encodeZipkinV1Thrift } from "wire/testing/encode-zipkin-v1";
import { encodeZipkinV2Json, encodeZipkinV2Proto } from "wire/testing/encode-zipkin-v2";
import type { ThriftTag } from "wire/thrift";
import { openGrpcApiV2 } from "../src/receivers/grpc-api-v2.ts";
import { openHttpThrift } from "../src/receivers/http-thrift.ts";
import { openOtlpGrpc } from "../src/receivers/otlp-grpc.ts";
import { openOtlpHttp } from "../src/receivers/otlp-http.ts";
import type { Receiver, ReceiverContext } from "../src/receivers/receiver.ts";
import { openZipkin } from "../src/receivers/zipkin.ts";
import { anyPort, grpcLimits, usualTimeouts } from "./receiver-fixture.ts";

/** The answer of a door: of HTTP, or a failed call of gRPC; undefined after a call that succeeded. */
export type DoorAnswer =
  | { readonly status: number; readonly headers: Headers; readonly body: string }
  | ServiceError
  | undefined;

/** A way in. */
export interface Door {
  readonly open: (context: ReceiverContext) => Promise<Receiver>;
  /** @param headers of the request, or metadata of the call */
  readonly send: (port: number, headers?: Readonly<Record<string, string>>) => Promise<DoorAnswer>;
}

function apiV2(span: Span, texts: Texts): Uint8Array {
  const tags = texts.map(([key, vStr]) => ({ key, vStr }));
  const one = ApiV2Span.fromPartial({
    traceId: Buffer.from(span.traceId, "hex"),
    spanId: Buffer.from(span.spanId, "hex"),
    operationName: span.name,
    tags,
    logs: [{ fields: tags }],
  });
  return PostSpansRequest.encode(
    PostSpansRequest.fromPartial({ batch: { process: { serviceName: "shop", tags }, spans: [one] } }),
  ).finish();
}

function thrift(span: Span, texts: Texts): Buffer {
  const one = { high: 0, low: 1 };
  const tags = texts.map(([key, vStr]): ThriftTag => ({ key, vType: 0, vStr }));
  const ids = { traceIdLow: one, traceIdHigh: one, spanId: one, parentSpanId: { high: 0, low: 0 } };
  const times = { flags: 1, startTime: one, duration: one };
  const spans = [
    { ...ids, ...times, operationName: span.name, tags, logs: [{ timestamp: one, fields: tags }] },
  ];
  return encodeThriftBatch({ process: { serviceName: "shop", tags }, spans }, "binary");
}

const http =
  (path: string, type: string, body: () => string | Uint8Array): Door["send"] =>
  async (port, headers = {}) => {
    const sent = body();
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: "POST",
      headers: { "Content-Type": type, ...headers },
      body: Buffer.from(sent as Uint8Array),
    });
    return { status: answer.status, headers: answer.headers, body: await answer.text() };
  };

const grpc =
  (path: string, body: () => Uint8Array): Door["send"] =>
  async (port, headers = {}) => {
    const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
    const asBuffer = (bytes: Uint8Array) => Buffer.from(bytes);
    const metadata = new Metadata();
    for (const [name, value] of Object.entries(headers)) {
      metadata.set(name, value);
    }
    try {
      return await new Promise((resolve) => {
        client.makeUnaryRequest(path, asBuffer, asBuffer, body(), metadata, (error) =>
          resolve(error ?? undefined),
        );
      });
    } finally {
      client.close();
    }
  };

const otlpHttp: Door["open"] = (context) =>
  openOtlpHttp(anyPort, { timeouts: usualTimeouts, cors: undefined }, context);
const zipkin: Door["open"] = (context) =>
  openZipkin(anyPort, { timeouts: usualTimeouts, keepAlive: true }, context);

type Texts = readonly (readonly [key: string, value: string])[];

/**
 * Every door of the collector. The agent sends through api_v2; files are sent through OTLP.
 * @param span that is sent
 * @param texts tags of a span where the format has no encoder of spans
 */
export function doorsFor(span: Span, texts: Texts = []): Readonly<Record<string, Door>> {
  return {
    "OTLP over gRPC": {
      open: (context) => openOtlpGrpc(anyPort, grpcLimits(1_000_000), context),
      send: grpc("/opentelemetry.proto.collector.trace.v1.TraceService/Export", () => encodeTraces([span])),
    },
    "OTLP over HTTP": {
      open: otlpHttp,
      send: http("/v1/traces", "application/x-protobuf", () => encodeTraces([span])),
    },
    "OTLP JSON": {
      open: otlpHttp,
      send: http("/v1/traces", "application/json", () => encodeTracesJson([span])),
    },
    "api_v2 over gRPC": {
      open: (context) => openGrpcApiV2(anyPort, grpcLimits(1_000_000), context),
      send: grpc("/jaeger.api_v2.CollectorService/PostSpans", () => apiV2(span, texts)),
    },
    "Thrift over HTTP": {
      open: (context) => openHttpThrift(anyPort, usualTimeouts, context),
      send: http("/api/traces", "application/x-thrift", () => thrift(span, texts)),
    },
    "Zipkin v1 JSON": {
      open: zipkin,
      send: http("/api/v1/spans", "application/json", () => encodeZipkinV1Json([span])),
    },
    "Zipkin v1 Thrift": {
      open: zipkin,
      send: http("/api/v1/spans", "application/x-thrift", () => encodeZipkinV1Thrift([span])),
    },
    "Zipkin v2 JSON": {
      open: zipkin,
      send: http("/api/v2/spans", "application/json", () => encodeZipkinV2Json([span])),
    },
    "Zipkin v2 protobuf": {
      open: zipkin,
      send: http("/api/v2/spans", "application/x-protobuf", () => encodeZipkinV2Proto([span])),
    },
  };
}
