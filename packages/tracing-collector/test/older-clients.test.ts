// Clients from before OpenTelemetry, and its exporter for Zipkin: what they sent is what is kept.

import { EventEmitter, once } from "node:events";
import { SpanKind, SpanStatusCode } from "@opentelemetry/api";
import { ZipkinExporter } from "@opentelemetry/exporter-zipkin";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import jaegerClient from "jaeger-client";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import zipkin from "zipkin";
import { HttpLogger } from "zipkin-transport-http";
import { openHttpThrift } from "../src/receivers/http-thrift.ts";
import type { Receiver } from "../src/receivers/receiver.ts";
import { openZipkin } from "../src/receivers/zipkin.ts";
import { anyPort, openReceiverFixture, type ReceiverFixture, usualTimeouts } from "./receiver-fixture.ts";

let fixture: ReceiverFixture;
let receiver: Receiver;

beforeEach(async () => {
  fixture = await openReceiverFixture();
});

afterEach(async () => {
  await receiver.stop(AbortSignal.abort());
  await fixture.close();
});

const text = (key: string, value: string) => ({ key, value: { type: "string", value } });

test("jaeger-client for JavaScript, Thrift over HTTP", async () => {
  receiver = await openHttpThrift(anyPort, usualTimeouts, fixture.context);
  const tracer = jaegerClient.initTracer(
    {
      serviceName: "shop",
      sampler: { type: "const", param: 1 },
      reporter: {
        collectorEndpoint: `http://127.0.0.1:${receiver.port}/api/traces`,
        flushIntervalMs: 100_000,
      },
    },
    { tags: { region: "eu" } },
  );
  const parent = tracer.startSpan("GET /cart", { startTime: 1_795_236_904_000 });
  parent.setTag("http.status_code", 200).setTag("cached", true).setTag("part", 0.5);
  parent.log({ event: "retry", attempt: "2" }, 1_795_236_904_001);
  tracer.startSpan("query", { childOf: parent, startTime: 1_795_236_904_000 }).finish(1_795_236_904_002);
  parent.finish(1_795_236_904_010);
  await new Promise<void>((resolve) => tracer.close(resolve));

  const { toTraceId, toSpanId } = parent.context();
  const traceId = toTraceId.call(parent.context()).padStart(32, "0");
  const spanId = toSpanId.call(parent.context()).padStart(16, "0");
  const spans = await fixture.spans();
  expect(spans.map(({ name }) => name)).toEqual(["query", "GET /cart"]);
  expect(spans[0]).toMatchObject({ traceId, parentSpanId: spanId, durationNano: 2_000_000n });
  expect(spans[1]).toMatchObject({
    traceId,
    spanId,
    format: "jaeger",
    flags: 1,
    startTimeUnixNano: 1_795_236_904_000_000_000n,
    durationNano: 10_000_000n,
    resource: { serviceName: "shop", attributes: expect.arrayContaining([text("region", "eu")]) },
    attributes: expect.arrayContaining([
      text("sampler.type", "const"),
      { key: "http.status_code", value: { type: "double", value: 200 } },
      { key: "cached", value: { type: "bool", value: true } },
      { key: "part", value: { type: "double", value: 0.5 } },
    ]),
    events: [{ timeUnixNano: 1_795_236_904_001_000_000n }],
  });
  expect(await fixture.metric("traces_received_total", "jaeger", "shop", "const")).toBe(1);
});

describe("to the port of Zipkin", () => {
  beforeEach(async () => {
    receiver = await openZipkin(anyPort, { timeouts: usualTimeouts, keepAlive: true }, fixture.context);
  });

  test.each([
    ["v1", zipkin.jsonEncoder.JSON_V1],
    ["v2", zipkin.jsonEncoder.JSON_V2],
  ])("zipkin for JavaScript, JSON of %s", async (version, jsonEncoder) => {
    const logger = new HttpLogger({
      endpoint: `http://127.0.0.1:${receiver.port}/api/${version}/spans`,
      jsonEncoder,
      httpInterval: 10,
    });
    // Which its types do not tell.
    if (!(logger instanceof EventEmitter)) {
      throw new Error("the client does not tell when it has sent");
    }
    const sent = once(logger, "success");
    const tracer = new zipkin.Tracer({
      ctxImpl: new zipkin.ExplicitContext(),
      recorder: new zipkin.BatchRecorder({ logger }),
      localServiceName: "shop",
      traceId128Bit: true,
    });
    const id = tracer.createRootId();
    tracer.letId(id, () => {
      tracer.recordServiceName("shop");
      tracer.recordRpc("get /cart");
      tracer.recordAnnotation(new zipkin.Annotation.ServerRecv());
      tracer.recordBinary("http.path", "/cart");
      tracer.recordAnnotation(new zipkin.Annotation.ServerSend());
    });
    await sent;
    expect(await fixture.spans()).toMatchObject([
      {
        traceId: id.traceId,
        spanId: id.spanId,
        name: "get /cart",
        kind: "server",
        format: "zipkin",
        resource: { serviceName: "shop" },
        attributes: expect.arrayContaining([text("http.path", "/cart")]),
      },
    ]);
  });

  test("OpenTelemetry's exporter for Zipkin", async () => {
    const exporter = new ZipkinExporter({ url: `http://127.0.0.1:${receiver.port}/api/v2/spans` });
    const provider = new TracerProvider({
      resource: resourceFromAttributes({ "service.name": "shop" }),
      spanProcessors: [new SimpleSpanProcessor({ exporter })],
    });
    const span = provider.getTracer("cart", "1.2.3").startSpan("GET /cart", {
      kind: SpanKind.CLIENT,
      startTime: [1_795_236_904, 123_456_000],
      attributes: { "http.path": "/cart" },
    });
    span.addEvent("retry", undefined, [1_795_236_904, 200_000_000]);
    span.setStatus({ code: SpanStatusCode.ERROR, message: "no cart" });
    span.end([1_795_236_905, 123_456_000]);
    await provider.forceFlush();
    await provider.shutdown();

    const { traceId, spanId } = span.spanContext();
    expect(await fixture.spans()).toMatchObject([
      {
        traceId,
        spanId,
        name: "GET /cart",
        kind: "client",
        startTimeUnixNano: 1_795_236_904_123_456_000n,
        durationNano: 1_000_000_000n,
        resource: { serviceName: "shop" },
        attributes: expect.arrayContaining([text("http.path", "/cart")]),
        events: [{ name: "retry" }],
        status: { code: "error" },
      },
    ]);
  });
});
