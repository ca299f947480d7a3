// The exporters of the OpenTelemetry SDK for JavaScript against the receivers: what they sent is what is kept.

import { SpanKind, SpanStatusCode } from "@opentelemetry/api";
import { OTLPTraceExporter as GrpcExporter } from "@opentelemetry/exporter-trace-otlp-grpc";
import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtoExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { SimpleSpanProcessor, type SpanExporter, TracerProvider } from "@opentelemetry/sdk-trace";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openOtlpGrpc } from "../src/receivers/otlp-grpc.ts";
import { openOtlpHttp } from "../src/receivers/otlp-http.ts";
import type { Receiver } from "../src/receivers/receiver.ts";
import {
  anyPort,
  grpcLimits,
  openReceiverFixture,
  type ReceiverFixture,
  usualTimeouts,
} from "./receiver-fixture.ts";

let fixture: ReceiverFixture;
let grpc: Receiver;
let http: Receiver;

beforeEach(async () => {
  fixture = await openReceiverFixture();
  grpc = await openOtlpGrpc(anyPort, grpcLimits(4_000_000), fixture.context);
  http = await openOtlpHttp(anyPort, { timeouts: usualTimeouts }, fixture.context);
});

afterEach(async () => {
  await Promise.all([grpc.stop(AbortSignal.abort()), http.stop(AbortSignal.abort())]);
  await fixture.close();
});

test.each<[string, () => SpanExporter]>([
  ["OTLP over gRPC", () => new GrpcExporter({ url: `http://127.0.0.1:${grpc.port}` })],
  ["OTLP over HTTP, protobuf", () => new ProtoExporter({ url: `http://127.0.0.1:${http.port}/v1/traces` })],
  ["OTLP over HTTP, JSON", () => new JsonExporter({ url: `http://127.0.0.1:${http.port}/v1/traces` })],
])("%s", async (_, exporter) => {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": "shop", "host.cores": 8 }),
    spanProcessors: [new SimpleSpanProcessor({ exporter: exporter() })],
  });
  const span = provider.getTracer("cart", "1.2.3").startSpan("GET /cart", {
    kind: SpanKind.SERVER,
    startTime: [1_795_236_904, 123_456_789],
    attributes: { text: "zwölf", flag: true, whole: 7, part: 0.5, list: ["a", "b"] },
  });
  span.addEvent("retry", { attempt: 2 }, [1_795_236_904, 200_000_000]);
  span.setStatus({ code: SpanStatusCode.ERROR, message: "no cart" });
  span.end([1_795_236_905, 123_456_789]);
  await provider.forceFlush();
  await provider.shutdown();

  const { traceId, spanId } = span.spanContext();
  expect(await fixture.spans()).toMatchObject([
    {
      traceId,
      spanId,
      name: "GET /cart",
      kind: "server",
      format: "otlp",
      startTimeUnixNano: 1_795_236_904_123_456_789n,
      durationNano: 1_000_000_000n,
      status: { code: "error", message: "no cart" },
      scope: { name: "cart", version: "1.2.3" },
      resource: { serviceName: "shop" },
      attributes: [
        { key: "text", value: { type: "string", value: "zwölf" } },
        { key: "flag", value: { type: "bool", value: true } },
        { key: "whole", value: { type: "int", value: 7n } },
        { key: "part", value: { type: "double", value: 0.5 } },
        { key: "list", value: { type: "array" } },
      ],
      events: [{ name: "retry", attributes: [{ key: "attempt", value: { type: "int", value: 2n } }] }],
    },
  ]);
});
