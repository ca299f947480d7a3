import { Client, credentials } from "@grpc/grpc-js";
import { expect, test } from "vitest";
import { ApiV2Span, PostSpansRequest } from "wire/api-v2";
import type { Attribute, Span } from "wire/model";
import { encodeTraces, encodeTracesJson } from "wire/otlp";
import { encodeThriftBatch, type ThriftTag } from "wire/thrift";
import {
  encodeZipkinV1Json,
  encodeZipkinV1Thrift,
  encodeZipkinV2Json,
  encodeZipkinV2Proto,
} from "wire/zipkin";
import { anyPort, grpcLimits, openReceiverFixture, usualTimeouts } from "../../test/receiver-fixture.ts";
import { spanOf } from "../../test/span-rows-fixture.ts";
import { ruleSetOf } from "../pipeline/privacy/open-privacy.ts";
import { parsePrivacyRules } from "../pipeline/privacy/parse-privacy-rules.ts";
import { PrivacyStep } from "../pipeline/privacy/privacy-step.ts";
import { openGrpcApiV2 } from "./grpc-api-v2.ts";
import { openHttpThrift } from "./http-thrift.ts";
import { openOtlpGrpc } from "./otlp-grpc.ts";
import { openOtlpHttp } from "./otlp-http.ts";
import type { Receiver, ReceiverContext } from "./receiver.ts";
import { openZipkin } from "./zipkin.ts";

const secret = "ann@example.com";
const attributes: Attribute[] = [
  { key: "text", value: { type: "string", value: `to ${secret}` } },
  { key: "password", value: { type: "string", value: "s3cret" } },
  { key: "list", value: { type: "array", value: [{ type: "string", value: secret }] } },
];
const base = spanOf({ name: `send ${secret}` });
const span: Span = {
  ...base,
  attributes,
  events: [
    { timeUnixNano: base.startTimeUnixNano, name: `mail ${secret}`, attributes, droppedAttributesCount: 0 },
  ],
  links: [
    {
      ...{ traceId: "ab".repeat(16), spanId: "cd".repeat(8), traceState: "", attributes },
      ...{ droppedAttributesCount: 0, flags: 0, refType: "none" },
    },
  ],
  status: { code: "error", message: `no ${secret}` },
  resource: {
    ...base.resource,
    attributes: [{ key: "service.name", value: { type: "string", value: "shop" } }, ...attributes],
  },
  scope: { ...base.scope, name: "lib", attributes },
};

const [traceId, spanId] = [Buffer.from(span.traceId, "hex"), Buffer.from(span.spanId, "hex")];
const texts = [
  ["text", `to ${secret}`],
  ["password", "s3cret"],
] as const;

function apiV2(): Uint8Array {
  const tags = texts.map(([key, vStr]) => ({ key, vStr }));
  const one = ApiV2Span.fromPartial({
    traceId,
    spanId,
    operationName: span.name,
    tags,
    logs: [{ fields: tags }],
  });
  return PostSpansRequest.encode(
    PostSpansRequest.fromPartial({ batch: { process: { serviceName: "shop", tags }, spans: [one] } }),
  ).finish();
}

function thrift(): Buffer {
  const one = { high: 0, low: 1 };
  const tags = texts.map(([key, vStr]): ThriftTag => ({ key, vType: 0, vStr }));
  const ids = { traceIdLow: one, traceIdHigh: one, spanId: one, parentSpanId: { high: 0, low: 0 } };
  const times = { flags: 1, startTime: one, duration: one };
  const spans = [
    { ...ids, ...times, operationName: span.name, tags, logs: [{ timestamp: one, fields: tags }] },
  ];
  return encodeThriftBatch({ process: { serviceName: "shop", tags }, spans }, "binary");
}

/** How a door opens, and sends a span with the secrets in all places that its format has. */
interface Door {
  readonly open: (context: ReceiverContext) => Promise<Receiver>;
  readonly send: (port: number) => Promise<unknown>;
}

const http = (path: string, type: string, body: () => string | Uint8Array) => async (port: number) => {
  const sent = body();
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers: { "Content-Type": type },
    body: Buffer.from(sent as Uint8Array),
  });
  expect([answer.status, await answer.text()]).toEqual([expect.toBeOneOf([200, 202]), expect.any(String)]);
};

const grpc = (path: string, body: () => Uint8Array) => async (port: number) => {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const asBuffer = (bytes: Uint8Array) => Buffer.from(bytes);
  try {
    await new Promise<void>((resolve, reject) => {
      client.makeUnaryRequest(path, asBuffer, asBuffer, body(), (error) =>
        error === null ? resolve() : reject(error),
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

/** Every door of the collector. The agent sends through api_v2; files are sent through OTLP. */
const doors: Readonly<Record<string, Door>> = {
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
    send: grpc("/jaeger.api_v2.CollectorService/PostSpans", apiV2),
  },
  "Thrift over HTTP": {
    open: (context) => openHttpThrift(anyPort, usualTimeouts, context),
    send: http("/api/traces", "application/x-thrift", thrift),
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

const rules = `rules:
  - { action: mask, detect: [email], in: [span, resource, scope, event, link, span-name, event-name, status-message, warning] }
  - { action: remove, attributes: [password, "*.password"] }
`;

async function bytesThrough(
  { open, send }: Door,
  steps: (before: ReceiverContext["steps"]) => ReceiverContext["steps"],
) {
  const fixture = await openReceiverFixture();
  const receiver = await open({ ...fixture.context, steps: steps(fixture.context.steps) });
  try {
    await send(receiver.port);
    const [kept, ...others] = await fixture.spans();
    expect(others).toEqual([]);
    return JSON.stringify(kept, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));
  } finally {
    await receiver.stop(AbortSignal.abort());
    await fixture.close();
  }
}

test.each(Object.entries(doors))("rules hold for spans that come by %s", async (name, door) => {
  const before = await bytesThrough(door, (steps) => steps);
  expect(before).toContain(secret);
  expect(before).toContain("s3cret");

  const step = new PrivacyStep(
    ruleSetOf({ rules: parsePrivacyRules(rules, "test").rules, hashKey: undefined }),
  );
  const after = await bytesThrough(door, (steps = []) => [...steps, step]);
  expect(after).not.toContain(secret);
  expect(after).toContain("****");
  expect(after).toContain('"shop"');
  // Zipkin v1 has no attributes of events: they are a part of an annotation's text.
  expect(after.includes("s3cret")).toBe(name.startsWith("Zipkin v1"));
});
