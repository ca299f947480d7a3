// Rows for tests of the pipeline, made of the few things that a test is about.

import fc from "fast-check";
import type { Attribute, Span, SpanFormat, StatusCode } from "wire/model";
import { readSpanRows, type SpanRows, SpanRowWriter } from "wire/rows";

export interface SpanOutline {
  readonly traceId?: string;
  readonly spanId?: string;
  /** "" by default: a root span. */
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name?: string;
  readonly service?: string;
  readonly flags?: number;
  readonly status?: StatusCode;
  readonly durationMs?: number;
  readonly startMs?: number;
  readonly format?: SpanFormat;
  /** Strings. */
  readonly attributes?: Readonly<Record<string, string>>;
  readonly resource?: Span["resource"]["attributes"];
}

export function spanOf(outline: SpanOutline): Span {
  return {
    traceId: outline.traceId ?? "0102030405060708090a0b0c0d0e0f10",
    spanId: outline.spanId ?? "1112131415161718",
    parentSpanId: outline.parentSpanId ?? "",
    traceState: outline.traceState ?? "",
    flags: outline.flags ?? 1,
    name: outline.name ?? "GET /",
    kind: "server",
    startTimeUnixNano: BigInt(outline.startMs ?? 1_700_000_000_000) * 1_000_000n,
    durationNano: BigInt(Math.round((outline.durationMs ?? 1) * 1e6)),
    attributes: Object.entries(outline.attributes ?? {}).map(([key, value]) => ({
      key,
      value: { type: "string", value },
    })),
    droppedAttributesCount: 0,
    events: [],
    droppedEventsCount: 0,
    links: [],
    droppedLinksCount: 0,
    status: { code: outline.status ?? "unset", message: "" },
    resource: {
      serviceName: outline.service ?? "shop",
      attributes: outline.resource ?? [],
      droppedAttributesCount: 0,
      schemaUrl: "",
    },
    scope: { name: "", version: "", attributes: [], droppedAttributesCount: 0, schemaUrl: "" },
    format: outline.format ?? "otlp",
    warnings: [],
  };
}

/** Spans of a few resources, of which some follow one another: their rows share prefixes. */
export const sharingSpans: fc.Arbitrary<Span[]> = fc
  .array(
    fc.tuple(
      fc.constantFrom("shop", "cart", ""),
      fc.integer({ min: 1, max: 4 }),
      fc.string({ maxLength: 20 }),
      fc.boolean(),
    ),
  )
  .map((runs) =>
    runs.flatMap(([service, count, name, isRoot], run) => {
      const resource: Attribute[] = [
        { key: "service.name", value: { type: "string", value: service } },
        { key: "zone", value: { type: "string", value: `${name.length % 2}` } },
      ];
      const attributes = { "sampler.type": "probabilistic", "sampler.param": "0.5" };
      const parentSpanId = isRoot ? "" : "00000000000000aa";
      const outline = { service, resource, name, attributes, parentSpanId };
      const first = spanOf(outline);
      return Array.from({ length: count }, (_, index) => ({
        ...spanOf({
          ...outline,
          traceId: `${run}${index}`.padStart(32, "a"),
          status: index === 1 ? "error" : "unset",
        }),
        resource: first.resource,
        scope: first.scope,
      }));
    }),
  );

/** Rows whose bytes are their own. */
export function rowsOf(spans: readonly Span[]): SpanRows {
  const writer = new SpanRowWriter();
  for (const span of spans) {
    writer.append(span);
  }
  const rows = writer.take();
  return { ...rows, bytes: Uint8Array.from(rows.bytes) };
}

/** The same rows, each with its own prefix. */
export function plainRowsOf(spans: readonly Span[]): SpanRows {
  return { bytes: Buffer.concat(spans.map((span) => rowsOf([span]).bytes)), count: spans.length };
}

/** @returns the spans, after a look at whether their number is the one that was told */
export function spansOf(rows: SpanRows): Span[] {
  const spans = readSpanRows(rows.bytes);
  if (spans.length !== rows.count) {
    throw new Error(`${rows.count} rows are ${spans.length}`);
  }
  return spans;
}
