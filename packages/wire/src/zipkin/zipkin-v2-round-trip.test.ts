import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ListOfSpans, Span as ZipkinSpan } from "../gen/zipkin/proto3/zipkin.ts";
import type { Attribute } from "../model/attribute.ts";
import type { Span } from "../model/span.ts";
import { readSpanRows } from "../rows/read-span-rows.ts";
import { spanArbitrary } from "../rows/span-arbitrary.ts";
import { encodeZipkinV2Json, encodeZipkinV2Proto } from "./encode-zipkin-v2.ts";
import { ZipkinV2JsonTranscoder } from "./zipkin-v2-json-transcoder.ts";
import { ZipkinV2ProtoTranscoder } from "./zipkin-v2-proto-transcoder.ts";

const formats = [
  { format: "JSON", encode: encodeZipkinV2Json, transcoder: new ZipkinV2JsonTranscoder() },
  { format: "protobuf", encode: encodeZipkinV2Proto, transcoder: new ZipkinV2ProtoTranscoder() },
] as const;

const text = fc.string({ unit: "grapheme", maxLength: 12 });
const hexId = (digits: number) =>
  fc
    .string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: digits, maxLength: digits })
    .filter((id) => !/^0+$/.test(id));
const stringAttribute = (key: string, value: string): Attribute => ({
  key,
  value: { type: "string", value },
});
/** Keys that mean nothing of their own. */
const attributes = fc
  .uniqueArray(fc.tuple(text, text), { selector: ([key]) => key, maxLength: 60, size: "max" })
  .map((entries) => entries.map(([key, value]) => stringAttribute(`x.${key}`, value)));
const nanos = fc.bigInt({ min: 1n, max: 9_000_000_000_000_000n }).map((micros) => micros * 1000n);
const id = hexId(16);

/** Spans that Zipkin can say all of. */
const zipkinSpan: fc.Arbitrary<Span> = fc
  .record({
    traceId: hexId(32),
    ids: fc.tuple(id, id).filter(([a, b]) => a !== b),
    hasParent: fc.boolean(),
    traceState: fc.option(
      text.filter((value) => value !== ""),
      { nil: "" },
    ),
    name: text,
    kind: fc.constantFrom("unspecified", "internal", "server", "client", "producer", "consumer"),
    startTimeUnixNano: nanos,
    durationNano: fc.oneof(
      fc.constant(0n),
      nanos.map((value) => (value / 100_000n) * 1000n),
    ),
    attributes,
    events: fc.array(
      fc.record({
        timeUnixNano: nanos,
        name: text.filter((name) => !name.includes("|")),
        attributes: attributes.map((list) =>
          list.toSorted((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key))),
        ),
        droppedAttributesCount: fc.nat(9),
      }),
      { maxLength: 2 },
    ),
    links: fc.array(
      fc.record({
        traceId: hexId(32),
        spanId: id,
        traceState: fc.constant("a=b"),
        attributes: fc.constant([stringAttribute("k", "v")]),
        droppedAttributesCount: fc.nat(9),
        flags: fc.constant(0),
        refType: fc.constant("none" as const),
      }),
      { maxLength: 2 },
    ),
    status: fc.constantFrom(
      { code: "unset", message: "" } as const,
      { code: "ok", message: "" } as const,
      { code: "error", message: "" } as const,
      { code: "error", message: "why" } as const,
    ),
    serviceName: text.filter((name) => name !== ""),
    scopeName: text,
    scopeVersion: text,
  })
  .map(({ ids: [spanId, other], hasParent, serviceName, scopeName, scopeVersion, ...rest }) => ({
    ...rest,
    spanId,
    parentSpanId: hasParent ? other : "",
    flags: 0,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
    resource: {
      serviceName,
      attributes: [stringAttribute("service.name", serviceName), stringAttribute("host.name", "h")],
      droppedAttributesCount: 0,
      schemaUrl: "",
    },
    scope: {
      name: scopeName,
      version: scopeVersion,
      attributes: [],
      droppedAttributesCount: 0,
      schemaUrl: "",
    },
    format: "zipkin",
    warnings: [],
  }));

describe.each(formats)("Zipkin v2 $format", ({ encode, transcoder }) => {
  const roundTrip = (spans: readonly Span[]) => readSpanRows(transcoder.transcode(encode(spans)).rows.bytes);

  it("gives back spans that came from Zipkin", () => {
    fc.assert(
      fc.property(fc.array(zipkinSpan, { maxLength: 3 }), (spans) => {
        expect(roundTrip(spans)).toEqual(spans);
      }),
    );
  });

  it("gives back any span in a form that stays the same from then on", () => {
    fc.assert(
      fc.property(fc.array(spanArbitrary, { maxLength: 3 }), (spans) => {
        const once = roundTrip(spans);
        expect(once).toHaveLength(spans.length);
        expect(once.map(({ traceId, spanId, name }) => ({ traceId, spanId, name }))).toEqual(
          spans.map(({ traceId, spanId, name }) => ({ traceId, spanId, name })),
        );
        expect(roundTrip(once)).toEqual(once);
      }),
    );
  });
});

it("writes protobuf that generated code reads, with what the JSON says", () => {
  fc.assert(
    fc.property(zipkinSpan, (span) => {
      const { spans } = ListOfSpans.decode(encodeZipkinV2Proto([span]));
      const [json] = JSON.parse(String(encodeZipkinV2Json([span]))) as [Record<string, unknown>];
      const { traceId, id: spanId, name, timestamp, tags } = spans[0] ?? ZipkinSpan.fromPartial({});
      expect(traceId.toString("hex")).toBe(String(json.traceId).padStart(32, "0"));
      expect(spanId.toString("hex")).toBe(json.id);
      expect(name).toBe(json.name ?? "");
      expect(Number(timestamp)).toBe(json.timestamp);
      expect(tags).toEqual(json.tags);
    }),
  );
});

it("keeps values as text, types of other formats and references of the older model", () => {
  const [sample] = fc.sample(zipkinSpan, { seed: 1, numRuns: 1 }) as [Span];
  const span: Span = {
    ...sample,
    format: "jaeger",
    kind: "client",
    parentSpanId: "00000000000000b1",
    attributes: [
      { key: "int", value: { type: "int", value: 2n ** 60n } },
      { key: "bytes", value: { type: "bytes", value: Buffer.of(1, 255) } },
      { key: "list", value: { type: "array", value: [{ type: "bool", value: true }] } },
      stringAttribute("span.kind", "client"),
      stringAttribute("net.peer.ip", "::1"),
      { key: "net.peer.port", value: { type: "int", value: 80n } },
    ],
    links: [
      { ...link, traceId: sample.traceId, spanId: "00000000000000b1", refType: "child_of" },
      { ...link, traceId: sample.traceId, spanId: "00000000000000c1", refType: "child_of" },
    ],
    events: [
      {
        timeUnixNano: 1000n,
        name: "",
        attributes: [stringAttribute("event", "x")],
        droppedAttributesCount: 0,
      },
    ],
  };
  const [json] = JSON.parse(String(encodeZipkinV2Json([span]))) as [Record<string, unknown>];
  expect(json).toMatchObject({
    kind: "CLIENT",
    parentId: "00000000000000b1",
    remoteEndpoint: { ipv6: "::1", port: 80 },
    annotations: [{ timestamp: 1, value: "x" }],
    tags: {
      int: "1152921504606846976",
      bytes: "Af8=",
      list: "[true]",
      "otlp.link.0": `${sample.traceId}|00000000000000c1||{"opentracing.ref_type":"child_of"}|0`,
    },
  });
  expect(json.tags).not.toHaveProperty("span.kind");
  expect(json.tags).not.toHaveProperty("otlp.link.1");
});

const link = { traceState: "", attributes: [], droppedAttributesCount: 0, flags: 0 } as const;
