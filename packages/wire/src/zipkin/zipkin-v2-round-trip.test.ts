import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ListOfSpans, Span as ZipkinSpan } from "../gen/zipkin/proto3/zipkin.ts";
import type { Span } from "../model/span.ts";
import { readSpanRows } from "../rows/read-span-rows.ts";
import { encodeZipkinV2Json, encodeZipkinV2Proto } from "../testing/encode-zipkin-v2.ts";
import { spanArbitrary } from "../testing/span-arbitrary.ts";
import { stringAttribute, zipkinSpan } from "../testing/zipkin-span-arbitrary.ts";
import { ZipkinV2JsonTranscoder } from "./zipkin-v2-json-transcoder.ts";
import { ZipkinV2ProtoTranscoder } from "./zipkin-v2-proto-transcoder.ts";

const formats = [
  { format: "JSON", encode: encodeZipkinV2Json, transcoder: new ZipkinV2JsonTranscoder() },
  { format: "protobuf", encode: encodeZipkinV2Proto, transcoder: new ZipkinV2ProtoTranscoder() },
] as const;

describe.each(formats)("Zipkin v2 $format", ({ encode, transcoder }) => {
  const roundTrip = (spans: readonly Span[]) => readSpanRows(transcoder.transcode(encode(spans)).rows.bytes);

  test("gives back spans that came from Zipkin", () => {
    fc.assert(
      fc.property(fc.array(zipkinSpan, { maxLength: 3 }), (spans) => {
        expect(roundTrip(spans)).toEqual(spans);
      }),
    );
  });

  test("gives back any span in a form that stays the same from then on", () => {
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

test("writes protobuf that generated code reads, with what the JSON says", () => {
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

test("keeps values as text, types of other formats and references of the older model", () => {
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
