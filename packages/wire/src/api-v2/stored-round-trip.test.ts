import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Attribute } from "../model/attribute.ts";
import type { Span, SpanFormat } from "../model/span.ts";
import { batchArbitrary } from "../testing/batch-arbitrary.ts";
import { spanArbitrary } from "../testing/span-arbitrary.ts";
import { fromApiV2Batch } from "./from-api-v2-batch.ts";
import { fromStoredApiV2Spans } from "./from-stored-api-v2-spans.ts";
import { stringTag } from "./tags.ts";
import { toApiV2Span } from "./to-api-v2-span.ts";
import { toStoredApiV2Span } from "./to-stored-api-v2-span.ts";

const text = (key: string, value: string): Attribute => ({ key, value: { type: "string", value } });

const plain: Span = {
  traceId: "0af7651916cd43dd8448eb211c80319c",
  spanId: "b7ad6b7169203331",
  parentSpanId: "",
  traceState: "",
  flags: 0,
  name: "GET /",
  kind: "unspecified",
  startTimeUnixNano: 1_700_000_000_000_000_001n,
  durationNano: 2_000_000_003n,
  attributes: [],
  droppedAttributesCount: 0,
  events: [],
  droppedEventsCount: 0,
  links: [],
  droppedLinksCount: 0,
  status: { code: "unset", message: "" },
  resource: {
    serviceName: "shop",
    attributes: [text("service.name", "shop")],
    droppedAttributesCount: 0,
    schemaUrl: "",
  },
  scope: { name: "", version: "", attributes: [], droppedAttributesCount: 0, schemaUrl: "" },
  format: "otlp",
  warnings: [],
};

const link = {
  traceId: plain.traceId,
  traceState: "",
  attributes: [],
  droppedAttributesCount: 0,
  flags: 0,
  refType: "none",
} as const;

describe("fromStoredApiV2Spans", () => {
  test.each<{ name: string; span: Partial<Span> }>([
    { name: "a plain OTLP span", span: {} },
    { name: "a Zipkin span", span: { format: "zipkin", kind: "client" } },
    {
      name: "an OTLP span with all that becomes tags",
      span: {
        kind: "producer",
        status: { code: "error", message: "card refused" },
        traceState: "vendor=1",
        scope: { ...plain.scope, name: "shop", version: "1.2.3" },
        attributes: [text("a", "b"), text("span.kind", "custom"), text("error", "timeout")],
      },
    },
    { name: "status OK without a kind", span: { status: { code: "ok", message: "" } } },
    {
      name: "events with and without a name",
      span: {
        events: [
          { timeUnixNano: 5n, name: "retry", attributes: [text("n", "1")], droppedAttributesCount: 0 },
          { timeUnixNano: 6n, name: "", attributes: [text("n", "2")], droppedAttributesCount: 0 },
        ],
      },
    },
    {
      name: "parent and links",
      span: {
        parentSpanId: "00000000000000aa",
        links: [
          { ...link, traceId: "f".repeat(32), spanId: "e".repeat(16) },
          { ...link, spanId: "d".repeat(16), attributes: [text("opentracing.ref_type", "child_of")] },
        ],
      },
    },
    {
      name: "a link to the parent",
      span: {
        parentSpanId: "00000000000000aa",
        links: [{ ...link, spanId: "00000000000000aa" }],
      },
    },
    {
      name: "a resource without a name",
      span: { resource: { ...plain.resource, serviceName: "OTLPResourceNoServiceName", attributes: [] } },
    },
    {
      name: "an api_v2 span",
      span: { format: "proto", attributes: [text("span.kind", "server")], kind: "server" },
    },
    { name: "a Thrift span with flags", span: { format: "jaeger", flags: 3 } },
  ])("gives back $name", ({ span: facts }) => {
    const span = { ...plain, ...facts };
    expect(fromStoredApiV2Spans([toApiV2Span(span)])).toEqual([span]);
  });

  test.each(["otlp", "proto", "jaeger", "zipkin"] satisfies SpanFormat[])(
    "keeps tags, logs and references of any span with the format tag %s",
    (format) => {
      fc.assert(
        fc.property(batchArbitrary, (batch) => {
          const spans = fromApiV2Batch(batch, "proto").map((span) => toStoredApiV2Span(span));
          for (const span of spans) {
            span.tags.push(stringTag("internal.span.format", format));
          }
          expect(fromStoredApiV2Spans(spans).map(toApiV2Span)).toEqual(spans);
        }),
      );
    },
  );

  test("keeps the older model's view of any span", () => {
    fc.assert(
      fc.property(spanArbitrary, (span) => {
        const stored = toApiV2Span(span);
        expect(fromStoredApiV2Spans([stored]).map(toApiV2Span)).toEqual([stored]);
      }),
    );
  });
});

describe("toStoredApiV2Span", () => {
  const tags = (span: Span) => toStoredApiV2Span(span).tags.map(({ key, vStr }) => [key, vStr]);

  test.each(["proto", "jaeger"] satisfies SpanFormat[])("adds nothing to a span of format %s", (format) => {
    expect(tags({ ...plain, format, attributes: [text("a", "b")] })).toEqual([["a", "b"]]);
  });

  test("leaves the format tag of the collector that wrote it", () => {
    const span: Span = { ...plain, format: "proto", attributes: [text("internal.span.format", "otlp")] };
    expect(tags(span)).toEqual([["internal.span.format", "otlp"]]);
    expect(toApiV2Span(span).tags).toEqual(toStoredApiV2Span(span).tags);
  });

  test("tells that a span came over OTLP", () => {
    expect(tags({ ...plain, kind: "server" })).toEqual([
      ["span.kind", "server"],
      ["internal.span.format", "otlp"],
    ]);
  });
});
