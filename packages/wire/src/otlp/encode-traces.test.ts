import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type AttributeValue, maxAttributeDepth } from "../model/attribute.ts";
import type { Span } from "../model/span.ts";
import { readSpanRows } from "../rows/read-span-rows.ts";
import { SpanRowWriter } from "../rows/span-row-writer.ts";
import { decodeTraces } from "../testing/decode-traces.ts";
import { otlpSpanOf } from "../testing/request-of-spans.ts";
import { spanArbitrary } from "../testing/span-arbitrary.ts";
import { encodeTraces } from "./encode-traces.ts";
import { encodeTracesJson } from "./encode-traces-json.ts";
import { OtlpJsonTranscoder } from "./otlp-json-transcoder.ts";
import { serviceNameOf } from "./service-name.ts";

const [sample] = fc.sample(spanArbitrary, { seed: 3, numRuns: 1 }).map(otlpSpanOf);
if (sample === undefined) {
  throw new Error("no sample");
}

const plain: Span = {
  ...sample,
  traceId: "0102030405060708090a0b0c0d0e0f10",
  spanId: "1112131415161718",
  parentSpanId: "",
  traceState: "",
  flags: 0,
  name: "",
  kind: "unspecified",
  startTimeUnixNano: 0n,
  durationNano: 0n,
  attributes: [],
  droppedAttributesCount: 0,
  events: [],
  droppedEventsCount: 0,
  links: [],
  droppedLinksCount: 0,
  status: { code: "unset", message: "" },
  resource: {
    serviceName: "OTLPResourceNoServiceName",
    attributes: [],
    droppedAttributesCount: 0,
    schemaUrl: "",
  },
  scope: { name: "", version: "", attributes: [], droppedAttributesCount: 0, schemaUrl: "" },
};

function decodeJson(json: string): Span[] {
  return readSpanRows(new OtlpJsonTranscoder().transcode(Buffer.from(json)).rows.bytes);
}
/** A span as the bytes of its row, for comparisons. */
function rowOf(span: Span): string {
  const writer = new SpanRowWriter();
  writer.append(span);
  return Buffer.from(writer.take().bytes).toString("hex");
}
function nestedArrays(depth: number): AttributeValue {
  let value: AttributeValue = { type: "array", value: [] };
  for (let level = 1; level < depth; level++) {
    value = { type: "array", value: [value] };
  }
  return value;
}

describe.each([
  { form: "protobuf", roundTrip: (spans: readonly Span[]) => decodeTraces(encodeTraces(spans)) },
  { form: "JSON", roundTrip: (spans: readonly Span[]) => decodeJson(encodeTracesJson(spans)) },
])("traces as OTLP $form", ({ roundTrip }) => {
  test("bring back every OTLP span exactly", () => {
    fc.assert(
      fc.property(spanArbitrary, fc.constantFrom("otlp" as const, "zipkin" as const), (span, format) => {
        expect(roundTrip([{ ...span, format }])).toEqual([otlpSpanOf(span)]);
      }),
      { numRuns: 300 },
    );
  });

  test("bring back spans of many resources and scopes, grouped by what is in these", () => {
    const parts = fc.record({ resource: fc.nat(2), scope: fc.nat(2), span: spanArbitrary });
    fc.assert(
      fc.property(
        fc.array(spanArbitrary, { minLength: 3, maxLength: 3 }),
        fc.array(parts, { maxLength: 12 }),
        (owners, list) => {
          const spans = list.map(({ resource, scope, span }) =>
            otlpSpanOf({
              ...span,
              format: "otlp",
              // Copies of the objects, because groups must be formed by content, not by identity.
              resource: { ...(owners[resource] ?? sample).resource },
              scope: { ...(owners[scope] ?? sample).scope },
            }),
          );
          const back = roundTrip(spans);
          expect(back.map(rowOf).sort()).toEqual(spans.map(rowOf).sort());
          // Spans with equal resources and scopes must be adjacent.
          const groups = back.map(({ resource, scope }) => rowOf({ ...plain, resource, scope }));
          const starts = groups.filter((group, index) => group !== groups[index - 1]);
          expect(new Set(starts).size).toBe(starts.length);
        },
      ),
    );
  });

  test("keep the order in a group, and the order of groups", () => {
    const named = (name: string, version: string): Span => ({
      ...plain,
      name,
      scope: { ...plain.scope, version },
    });
    const spans = [named("a", "1"), named("b", "2"), named("c", "1"), named("d", "2")];
    expect(roundTrip(spans).map(({ name }) => name)).toEqual(["a", "c", "b", "d"]);
    expect(roundTrip([])).toEqual([]);
  });

  test("refuse attributes nested too deep", () => {
    const nested = (depth: number): Span => ({
      ...plain,
      attributes: [{ key: "k", value: nestedArrays(depth) }],
    });
    expect(roundTrip([nested(maxAttributeDepth)])).toEqual([nested(maxAttributeDepth)]);
    expect(() => roundTrip([nested(maxAttributeDepth + 1)])).toThrow(
      expect.objectContaining({ code: "WIRE_TOO_DEEP" }),
    );
  });
});

describe("encodeTracesJson", () => {
  test("prints what the public model prints", () => {
    expect(JSON.parse(encodeTracesJson([plain]))).toEqual({
      resourceSpans: [
        {
          resource: {},
          scopeSpans: [
            {
              scope: {},
              spans: [{ traceId: plain.traceId, spanId: plain.spanId, parentSpanId: "", status: {} }],
            },
          ],
        },
      ],
    });
    const full: Span = {
      ...plain,
      kind: "client",
      startTimeUnixNano: 1_700_000_000_123_456_789n,
      durationNano: 1n,
      attributes: [
        { key: "i", value: { type: "int", value: -5n } },
        { key: "d", value: { type: "double", value: 2.5 } },
        { key: "x", value: { type: "bytes", value: Buffer.from([255, 254]) } },
        { key: "n", value: { type: "double", value: Number.NaN } },
      ],
      status: { code: "error", message: "why" },
    };
    const json = encodeTracesJson([full], { likeQueryService: true });
    expect(JSON.parse(json).resourceSpans[0].scopeSpans[0].spans[0]).toEqual({
      traceId: full.traceId,
      spanId: full.spanId,
      parentSpanId: "",
      kind: 3,
      startTimeUnixNano: "1700000000123456789",
      endTimeUnixNano: "1700000000123456790",
      attributes: [
        { key: "i", value: { intValue: "-5" } },
        { key: "d", value: { doubleValue: 2.5 } },
        { key: "x", value: { bytesValue: "//4=" } },
        { key: "n", value: { doubleValue: "NaN" } },
        { key: "internal.span.format", value: { stringValue: "otlp" } },
      ],
      status: { message: "why", code: 2 },
    });
  });

  test.each<[string, readonly [string, string | boolean][], readonly [string, string][]]>([
    [
      "its own name",
      [
        ["a", "1"],
        ["service.name", "shop"],
      ],
      [
        ["a", "1"],
        ["service.name", "shop"],
      ],
    ],
    [
      "none",
      [["a", "1"]],
      [
        ["service.name", "empty-service-name"],
        ["a", "1"],
      ],
    ],
    ["one that is no text", [["service.name", true]], [["service.name", "empty-service-name"]]],
    ["no attributes", [], []],
  ])("shows a resource with %s as the public model's query service does", (_, sent, shown) => {
    const attributes = sent.map(([key, value]) =>
      typeof value === "string"
        ? { key, value: { type: "string" as const, value } }
        : { key, value: { type: "bool" as const, value } },
    );
    const resource = { ...plain.resource, attributes, serviceName: serviceNameOf(attributes) };
    const json = encodeTracesJson([{ ...plain, resource }], { likeQueryService: true });
    expect(JSON.parse(json).resourceSpans[0].resource.attributes ?? []).toEqual(
      shown.map(([key, stringValue]) => ({ key, value: { stringValue } })),
    );
  });
});
