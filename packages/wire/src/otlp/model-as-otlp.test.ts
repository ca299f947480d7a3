import { describe, expect, test } from "vitest";
import type { Attribute } from "../model/attribute.ts";
import type { Span, SpanLink } from "../model/span.ts";
import { encodeTracesJson } from "./encode-traces-json.ts";

type Tags = readonly (readonly [key: string, value: string | boolean | number | Uint8Array])[];

/** Attributes from plain values; whole numbers become ints. */
function attributesOf(tags: Tags): Attribute[] {
  return tags.map(([key, value]) => {
    if (typeof value === "string") {
      return { key, value: { type: "string", value } };
    }
    if (typeof value === "boolean") {
      return { key, value: { type: "bool", value } };
    }
    if (typeof value === "number") {
      return { key, value: { type: "int", value: BigInt(value) } };
    }
    return { key, value: { type: "bytes", value } };
  });
}
function reference(spanId: string, refType: SpanLink["refType"], traceId = span.traceId): SpanLink {
  return { traceId, spanId, refType, traceState: "", attributes: [], droppedAttributesCount: 0, flags: 0 };
}

const span: Span = {
  traceId: "0102030405060708090a0b0c0d0e0f10",
  spanId: "1112131415161718",
  parentSpanId: "",
  traceState: "",
  flags: 3,
  name: "op",
  kind: "unspecified",
  startTimeUnixNano: 5n,
  durationNano: 2n,
  attributes: [],
  droppedAttributesCount: 0,
  events: [],
  droppedEventsCount: 0,
  links: [],
  droppedLinksCount: 0,
  status: { code: "unset", message: "" },
  resource: { serviceName: "shop", attributes: [], droppedAttributesCount: 0, schemaUrl: "" },
  scope: { name: "", version: "", attributes: [], droppedAttributesCount: 0, schemaUrl: "" },
  format: "jaeger",
  warnings: ["lost"],
};

/** Short form of attributes of OTLP JSON. */
function plainOf(
  attributes: { key: string; value: Record<string, unknown> }[] = [],
): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
function resourceAttributesOf(serviceName: string, tags: Tags): Record<string, unknown> {
  const resource = { ...span.resource, serviceName, attributes: attributesOf(tags) };
  return plainOf(JSON.parse(encodeTracesJson([{ ...span, resource }])).resourceSpans[0].resource.attributes);
}
/** Scope and span in OTLP JSON, for a changed sample span. */
function shown(change: Partial<Span>) {
  const [scopeSpans] = JSON.parse(encodeTracesJson([{ ...span, ...change }])).resourceSpans[0].scopeSpans;
  return { ...scopeSpans.spans[0], scope: scopeSpans.scope };
}
function withTags(tags: Tags) {
  const { attributes, ...rest } = shown({ attributes: attributesOf(tags) });
  return { ...rest, attributes: plainOf(attributes) };
}

// The rules were verified with release 1.62 of Jaeger: its answers of /api/v3/traces were compared for
// hundreds of random spans.
describe("spans of the older model as OTLP", () => {
  test.each<[serviceName: string, tags: Tags, attributes: Record<string, unknown>]>([
    [
      "shop",
      [
        ["ip", "1"],
        ["ip", "2"],
      ],
      { "service.name": "shop", ip: "2" },
    ],
    ["shop", [["service.name", "other"]], { "service.name": "other" }],
    ["OTLPResourceNoServiceName", [["ip", "1"]], {}],
    ["shop", [["hostname", "h"]], { "service.name": "shop", "host.name": "h" }],
    [
      "shop",
      [
        ["hostname", "h"],
        ["host.name", "n"],
      ],
      { "service.name": "shop", hostname: "h", "host.name": "n" },
    ],
    [
      "shop",
      [["jaeger.version", "Go-2"]],
      { "service.name": "shop", "opencensus.exporterversion": "Jaeger-Go-2" },
    ],
    ["shop", [["jaeger.version", 1]], { "service.name": "shop", "opencensus.exporterversion": "Jaeger-" }],
    [
      "shop",
      [
        ["jaeger.version", "x"],
        ["opencensus.exporterversion", "y"],
      ],
      { "service.name": "shop", "jaeger.version": "x", "opencensus.exporterversion": "y" },
    ],
  ])("make of process %s %j the resource %j", (serviceName, tags, attributes) => {
    expect(resourceAttributesOf(serviceName, tags)).toEqual(attributes);
  });

  test.each<[tags: Tags, expected: object]>([
    [
      [
        ["a", "x"],
        ["a", 7],
        ["b", Buffer.from([255])],
      ],
      { attributes: { a: "7", b: "/w==" }, status: {} },
    ],
    [[["span.kind", "client"]], { kind: 3, attributes: {} }],
    [[["span.kind", "weird"]], { attributes: {} }],
    [[["span.kind", 2]], { attributes: {} }],
    [
      [
        ["otel.scope.name", "lib"],
        ["otel.scope.version", "1"],
      ],
      { scope: { name: "lib", version: "1" }, attributes: {} },
    ],
    [[["otel.scope.version", "1"]], { scope: {}, attributes: { "otel.scope.version": "1" } }],
    [
      [
        ["otel.scope.name", "a"],
        ["otel.scope.name", "b"],
      ],
      { scope: { name: "a" }, attributes: { "otel.scope.name": "b" } },
    ],
    [[["w3c.tracestate", "a=b"]], { traceState: "a=b", attributes: {} }],
    [[["error", true]], { status: { code: 2 }, attributes: {} }],
    [[["error", false]], { status: {}, attributes: { error: false } }],
    [[["error", "true"]], { status: {}, attributes: { error: "true" } }],
    [
      [
        ["error", true],
        ["otel.status_code", "OK"],
        ["otel.status_description", "why"],
        ["http.status_message", "m"],
      ],
      { status: { code: 2, message: "why" }, attributes: { "http.status_message": "m" } },
    ],
    [
      [
        ["error", true],
        ["http.status_message", "m"],
      ],
      { status: { code: 2, message: "m" } },
    ],
    [
      [
        ["otel.status_code", "ok"],
        ["otel.status_description", "d"],
      ],
      { status: { code: 1, message: "d" }, attributes: {} },
    ],
    [[["otel.status_code", "ERROR"]], { status: { code: 2 }, attributes: {} }],
    [
      [
        ["otel.status_code", "x"],
        ["http.status_code", 500],
      ],
      { status: {}, attributes: { "http.status_code": "500" } },
    ],
    [[["otel.status_description", "d"]], { status: {}, attributes: { "otel.status_description": "d" } }],
    [[["http.status_code", 200]], { status: {} }],
    [[["http.status_code", 404]], { status: { code: 2 } }],
    [
      [
        ["http.status_code", "404"],
        ["span.kind", "client"],
      ],
      { status: { code: 2 } },
    ],
    [
      [
        ["http.status_code", 404],
        ["span.kind", "server"],
      ],
      { status: {} },
    ],
    [
      [
        ["http.status_code", 500],
        ["span.kind", "server"],
        ["http.status_message", "m"],
      ],
      { status: { code: 2, message: "m" } },
    ],
    [[["http.status_code", "x"]], { status: {} }],
    [[["http.status_code", 99]], { status: { code: 2 } }],
  ])("show tags %j as %j", (tags, expected) => {
    expect(withTags(tags)).toMatchObject(expected);
  });

  test("show logs as events, named by their field", () => {
    const log = (tags: Tags) => ({
      timeUnixNano: 7n,
      name: "",
      attributes: attributesOf(tags),
      droppedAttributesCount: 0,
    });
    const { events } = shown({
      events: [
        log([
          ["event", "retry"],
          ["n", 1],
        ]),
        log([["event", 5]]),
        log([]),
      ],
    });
    expect(events).toEqual([
      { timeUnixNano: "7", name: "retry", attributes: [{ key: "n", value: { intValue: "1" } }] },
      { timeUnixNano: "7" },
      { timeUnixNano: "7" },
    ]);
  });

  test("show references other than the parent as links", () => {
    const other = "f".repeat(32);
    const parentSpanId = "2122232425262728";
    const { links, parentSpanId: parent } = shown({
      parentSpanId,
      links: [
        reference(parentSpanId, "child_of"),
        reference("3132333435363738", "child_of", other),
        reference(parentSpanId, "follows_from"),
        reference("0".repeat(16), "follows_from"),
      ],
    });
    const ofType = (type: string) => [{ key: "opentracing.ref_type", value: { stringValue: type } }];
    expect(parent).toBe(parentSpanId);
    expect(links).toEqual([
      { traceId: other, spanId: "3132333435363738", attributes: ofType("child_of") },
      { traceId: span.traceId, spanId: parentSpanId, attributes: ofType("follows_from") },
      { traceId: span.traceId, spanId: "", attributes: ofType("follows_from") },
    ]);
  });

  test("lose flags and warnings, and share the resource of equal processes", () => {
    const otherProcess = { ...span, resource: { ...span.resource } };
    const { resourceSpans } = JSON.parse(encodeTracesJson([span, otherProcess], { likeQueryService: true }));
    expect(resourceSpans).toHaveLength(1);
    const [first, second] = resourceSpans[0].scopeSpans[0].spans;
    expect(first).toEqual({
      traceId: span.traceId,
      spanId: span.spanId,
      parentSpanId: "",
      name: "op",
      startTimeUnixNano: "5",
      endTimeUnixNano: "7",
      attributes: [{ key: "internal.span.format", value: { stringValue: "jaeger" } }],
      status: {},
    });
    expect(second).toEqual(first);
  });
});
