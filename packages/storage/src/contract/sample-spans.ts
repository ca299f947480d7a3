import type { Attribute, AttributeValue, Span } from "wire/model";

/** Noon of a day in 2026; samples lie around it. */
export const noonUnixNano = 1_784_721_600_000_000_000n;
export const msNano = 1_000_000n;

let ids = 0;

/** Random part of names, so that no two runs use the same names in a store. */
const runId = Math.trunc(Math.random() * 0xffffffff)
  .toString(16)
  .padStart(8, "0");

export function newTraceId(): string {
  return `${runId}${(++ids).toString(16).padStart(24, "0")}`;
}

export function newSpanId(): string {
  return (++ids).toString(16).padStart(16, "0");
}

/** A name that no other test uses, so that tests can share a store. */
export function newServiceName(): string {
  return `service-${runId}-${String(++ids).padStart(6, "0")}`;
}

export function text(key: string, value: string): Attribute {
  return { key, value: { type: "string", value } };
}

export function attribute(key: string, value: AttributeValue): Attribute {
  return { key, value };
}

/** Fields of a span that a test sets; other fields have defaults. */
export type SpanFacts = Partial<Omit<Span, "resource" | "scope">> & {
  readonly service?: string;
  readonly resource?: Partial<Span["resource"]>;
  readonly scope?: Partial<Span["scope"]>;
};

export function sampleSpan(facts: SpanFacts = {}): Span {
  const { service = "sample", resource, scope, ...own } = facts;
  return {
    traceId: newTraceId(),
    spanId: newSpanId(),
    parentSpanId: "",
    traceState: "",
    flags: 0,
    name: "GET /",
    kind: "server",
    startTimeUnixNano: noonUnixNano,
    durationNano: msNano,
    attributes: [],
    droppedAttributesCount: 0,
    events: [],
    droppedEventsCount: 0,
    links: [],
    droppedLinksCount: 0,
    status: { code: "unset", message: "" },
    format: "otlp",
    warnings: [],
    resource: {
      serviceName: service,
      attributes: [text("service.name", service)],
      droppedAttributesCount: 0,
      schemaUrl: "",
      ...resource,
    },
    scope: {
      name: "",
      version: "",
      attributes: [],
      droppedAttributesCount: 0,
      schemaUrl: "",
      ...scope,
    },
    ...own,
  };
}

const nested: AttributeValue = {
  type: "kvlist",
  value: [
    attribute("list", {
      type: "array",
      value: [
        { type: "string", value: "a" },
        { type: "int", value: 9_007_199_254_740_993n },
        { type: "double", value: 0.1 },
        { type: "bytes", value: Buffer.from([0, 255]) },
        { type: "empty" },
        { type: "array", value: [] },
      ],
    }),
    attribute("list", { type: "kvlist", value: [] }),
  ],
};

/** Attributes of every type, with the limit values of the types. */
export const everyAttribute: readonly Attribute[] = [
  attribute("empty", { type: "empty" }),
  text("string", "plain"),
  text("empty string", ""),
  text("unicode", "žluťoučký 🦊 \u{10ffff} \u0000"),
  text("escapes", `'"\\\t\n\r\b{x:String}`),
  text("long", "x".repeat(70_000)),
  attribute("bool", { type: "bool", value: true }),
  attribute("bool", { type: "bool", value: false }),
  attribute("int", { type: "int", value: 2n ** 63n - 1n }),
  attribute("int", { type: "int", value: -(2n ** 63n) }),
  attribute("double", { type: "double", value: 1e21 }),
  attribute("double", { type: "double", value: -0 }),
  attribute("double", { type: "double", value: Number.NaN }),
  attribute("double", { type: "double", value: Number.NEGATIVE_INFINITY }),
  attribute("bytes", { type: "bytes", value: Buffer.from([0, 1, 254, 255]) }),
  attribute("no bytes", { type: "bytes", value: Buffer.alloc(0) }),
  attribute("array", { type: "array", value: [nested, { type: "string", value: "[1]" }] }),
  attribute("kvlist", nested),
  text("", "a key may be empty"),
];

/** An OTLP span with a value in every field. */
export function fullOtlpSpan(): Span {
  return sampleSpan({
    parentSpanId: "00000000000000aa",
    traceState: "vendor=1,other=2",
    flags: 0xffffffff,
    name: "checkout ✓",
    kind: "consumer",
    startTimeUnixNano: noonUnixNano + 123_456_789n,
    durationNano: 987_654_321n,
    attributes: everyAttribute,
    droppedAttributesCount: 1,
    events: [
      {
        timeUnixNano: noonUnixNano + 1n,
        name: "exception",
        attributes: everyAttribute,
        droppedAttributesCount: 2,
      },
      { timeUnixNano: noonUnixNano, name: "", attributes: [], droppedAttributesCount: 0 },
    ],
    droppedEventsCount: 3,
    links: [
      {
        traceId: "f".repeat(32),
        spanId: "e".repeat(16),
        traceState: "a=b",
        attributes: everyAttribute,
        droppedAttributesCount: 4,
        flags: 257,
        refType: "none",
      },
    ],
    droppedLinksCount: 5,
    status: { code: "error", message: "card refused" },
    resource: {
      serviceName: "checkout",
      attributes: everyAttribute,
      droppedAttributesCount: 6,
      schemaUrl: "https://opentelemetry.io/schemas/1.30.0",
    },
    scope: {
      name: "shop",
      version: "1.2.3",
      attributes: everyAttribute,
      droppedAttributesCount: 7,
      schemaUrl: "https://opentelemetry.io/schemas/1.29.0",
    },
    format: "otlp",
    warnings: ["first", "second"],
  });
}

/**
 * A span of the older model: kind and status come from tags, tags are kept unchanged, `links` holds references, and
 * logs have no name.
 */
export function olderModelSpan(format: "proto" | "jaeger"): Span {
  const own = newTraceId();
  const link = { traceState: "", attributes: [], droppedAttributesCount: 0, flags: 0 };
  return sampleSpan({
    traceId: own,
    parentSpanId: "00000000000000bb",
    flags: 3,
    kind: "client",
    status: { code: "error", message: "" },
    attributes: [text("span.kind", "client"), attribute("error", { type: "bool", value: true })],
    events: [
      {
        timeUnixNano: noonUnixNano,
        name: "",
        attributes: [text("event", "retry")],
        droppedAttributesCount: 0,
      },
    ],
    links: [
      { ...link, traceId: "a".repeat(32), spanId: "1".repeat(16), refType: "follows_from" },
      { ...link, traceId: own, spanId: "00000000000000bb", refType: "child_of" },
    ],
    resource: { serviceName: "legacy", attributes: [text("hostname", "box-1")] },
    format,
    warnings: ["clock skew"],
  });
}
