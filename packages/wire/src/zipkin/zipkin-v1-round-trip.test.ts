import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Span } from "../model/span.ts";
import { readSpanRows } from "../rows/read-span-rows.ts";
import { encodeZipkinV1Json, encodeZipkinV1Thrift } from "../testing/encode-zipkin-v1.ts";
import { spanArbitrary } from "../testing/span-arbitrary.ts";
import { stringAttribute, zipkinSpan } from "../testing/zipkin-span-arbitrary.ts";
import { zipkinSpanList } from "../testing/zipkin-thrift-messages.ts";
import { zipkinV2SpanOf } from "../testing/zipkin-v2-span.ts";
import { BinaryCursor } from "../thrift/binary-cursor.ts";
import { readZipkinSpanList } from "../thrift/decode-zipkin-spans.ts";
import { ZipkinV1JsonTranscoder } from "./zipkin-v1-json-transcoder.ts";
import { ZipkinV1ThriftTranscoder } from "./zipkin-v1-thrift-transcoder.ts";

/** The data for which v1 has fields; other data becomes binary annotations. */
function factsOf({
  traceId,
  spanId,
  parentSpanId,
  name,
  kind,
  startTimeUnixNano,
  durationNano,
  resource,
}: Span) {
  const service = resource.serviceName;
  return {
    ...{ traceId, spanId, parentSpanId, name, startTimeUnixNano, durationNano, service },
    kind: kind === "internal" ? "unspecified" : kind,
  };
}

/** Annotations that are empty, or define the span's side of a request. */
const taken = ["", "cs", "cr", "sr", "ss", "ms", "mr"];
/** Annotations that the writer adds for the other end of a message; readers treat them as events. */
const added = ["ws", "wr"];

describe.each([
  { format: "JSON", encode: encodeZipkinV1Json, transcoder: new ZipkinV1JsonTranscoder() },
  { format: "Thrift", encode: encodeZipkinV1Thrift, transcoder: new ZipkinV1ThriftTranscoder() },
])("Zipkin v1 $format", ({ encode, transcoder }) => {
  const roundTrip = (spans: readonly Span[]) => readSpanRows(transcoder.transcode(encode(spans)).rows.bytes);

  test("gives back spans that came from Zipkin", () => {
    fc.assert(
      fc.property(fc.array(zipkinSpan, { maxLength: 3 }), (sent) => {
        const spans = roundTrip(sent);
        expect(spans.map(factsOf)).toEqual(sent.map(factsOf));
        for (const [index, { attributes }] of spans.entries()) {
          expect(attributes).toEqual(expect.arrayContaining([...(sent[index] as Span).attributes]));
        }
      }),
    );
  });

  test("gives back the texts of annotations", () => {
    fc.assert(
      fc.property(zipkinSpan, (sent) => {
        const [span] = roundTrip([sent]) as [Span];
        expect(span.events.map(({ name }) => name).filter((name) => !added.includes(name))).toEqual(
          zipkinV2SpanOf(sent)
            .annotations.map(({ value }) => value)
            .filter((value) => !taken.includes(value) && !added.includes(value)),
        );
      }),
    );
  });

  test("takes any span", () => {
    fc.assert(
      fc.property(fc.array(spanArbitrary, { maxLength: 3 }), (spans) => {
        expect(roundTrip(spans).map(({ traceId, spanId }) => ({ traceId, spanId }))).toEqual(
          spans.map(({ traceId, spanId }) => ({ traceId, spanId })),
        );
      }),
    );
  });
});

test("puts the other side's address and a service without anything else where Zipkin's readers look for them", () => {
  const [sample] = fc.sample(zipkinSpan, { seed: 2, numRuns: 1 }) as [Span];
  const span: Span = {
    ...sample,
    kind: "client",
    attributes: [stringAttribute("peer.service", "stock"), stringAttribute("net.peer.ip", "192.0.2.7")],
    events: [],
    links: [],
  };
  const [client] = JSON.parse(String(encodeZipkinV1Json([span])));
  expect(client.binaryAnnotations).toContainEqual({
    key: "sa",
    value: "true",
    endpoint: { serviceName: "stock", ipv4: "192.0.2.7" },
  });
  const bare: Span = {
    ...span,
    kind: "unspecified",
    attributes: [],
    traceState: "",
    status: { code: "unset", message: "" },
    resource: {
      ...span.resource,
      serviceName: "shop",
      attributes: [stringAttribute("service.name", "shop")],
    },
    scope: { ...span.scope, name: "", version: "" },
  };
  const [local] = JSON.parse(String(encodeZipkinV1Json([bare])));
  expect(local.binaryAnnotations).toEqual([{ key: "lc", value: "", endpoint: { serviceName: "shop" } }]);
});

test("writes Thrift as Apache's library writes it", () => {
  fc.assert(
    fc.property(zipkinSpan, (span) => {
      const bytes = encodeZipkinV1Thrift([span]);
      expect(zipkinSpanList([...readZipkinSpanList(new BinaryCursor(bytes))]).equals(bytes)).toBe(true);
    }),
  );
});
