// Facts that must survive the translation to the older model and back.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Batch } from "../gen/tracing/api_v2/model.ts";
import type { Attribute, AttributeValue } from "../model/attribute.ts";
import type { Span } from "../model/span.ts";
import { otlpOfModel, resourceOfProcess } from "../otlp/model-as-otlp.ts";
import { batchArbitrary } from "../testing/batch-arbitrary.ts";
import { spanArbitrary } from "../testing/span-arbitrary.ts";
import { fromApiV2Batch } from "./from-api-v2-batch.ts";
import { nestedJson } from "./nested-json.ts";
import { toApiV2Span } from "./to-api-v2-span.ts";

/** Converts spans through protobuf bytes, each span with its own process. */
function roundTrip(spans: readonly Span[], format: "proto" | "jaeger"): Span[] {
  const bytes = Batch.encode({ spans: spans.map(toApiV2Span), process: undefined }).finish();
  return fromApiV2Batch(Batch.decode(bytes), format);
}

const formatTag = (format: string): Attribute => text("internal.span.format", format);

function text(key: string, value: string): Attribute {
  return { key, value: { type: "string", value } };
}

/** Protobuf encoders treat -0 as the default and omit it; Jaeger's encoder does too. */
function withoutMinusZero(attributes: readonly Attribute[]): Attribute[] {
  return attributes.map(({ key, value }) =>
    Object.is(value.type === "double" ? value.value : 1, -0)
      ? { key, value: { type: "double", value: 0 } }
      : { key, value },
  );
}

describe("spans of the older model", () => {
  test.each(["proto", "jaeger"] as const)(
    "come back whole, with the tag of their format, from %s",
    (format) => {
      fc.assert(
        fc.property(batchArbitrary, (batch) => {
          const spans = fromApiV2Batch(batch, format);
          expect(roundTrip(spans, format)).toEqual(
            spans.map((span) => ({
              ...span,
              attributes: [...withoutMinusZero(span.attributes), formatTag(format)],
              events: span.events.map((event) => ({
                ...event,
                attributes: withoutMinusZero(event.attributes),
              })),
              resource: { ...span.resource, attributes: withoutMinusZero(span.resource.attributes) },
            })),
          );
        }),
        { seed: 21, numRuns: 300 },
      );
    },
  );
});

/** Spans whose parts all exist in the older model. */
const translatable = spanArbitrary.map(
  (span): Span => ({
    ...span,
    format: "otlp",
    status: span.status.code === "unset" ? { code: "unset", message: "" } : span.status,
    scope: { ...span.scope, version: span.scope.name === "" ? "" : span.scope.version },
    resource: { ...span.resource, serviceName: span.resource.serviceName || "shop" },
    warnings: [],
  }),
);

/** A value in one of the five types of the older model: arrays and lists become JSON, an absent value becomes "". */
function tagValue(value: AttributeValue): AttributeValue {
  if (value.type === "empty") {
    return { type: "string", value: "" };
  }
  if (value.type === "array" || value.type === "kvlist") {
    return { type: "string", value: nestedJson(value) };
  }
  if (value.type === "bytes") {
    return { type: "bytes", value: Buffer.from(value.value) };
  }
  return value;
}

/** Attributes as in an OTLP map: of equal keys the last value counts, at the place of the first. */
function mapped(...attributes: readonly Attribute[]): Attribute[] {
  const map = new Map(attributes.map(({ key, value }) => [key, tagValue(value)]));
  return withoutMinusZero(Array.from(map, ([key, value]) => ({ key, value })));
}

/** The parts of an OTLP span that survive both conversions: all but flags, dropped counts and schema URLs. */
function survivorOf(span: Span): Span {
  const { scope, resource } = span;
  return {
    ...span,
    flags: 0,
    attributes: mapped(...span.attributes, formatTag("otlp")),
    droppedAttributesCount: 0,
    events: span.events.map(({ timeUnixNano, name, attributes }) => ({
      timeUnixNano,
      name,
      attributes: mapped(...attributes),
      droppedAttributesCount: 0,
    })),
    droppedEventsCount: 0,
    links: span.links.map(({ traceId, spanId }) => ({
      traceId,
      spanId,
      traceState: "",
      attributes: [text("opentracing.ref_type", "follows_from")],
      droppedAttributesCount: 0,
      flags: 0,
      refType: "none",
    })),
    droppedLinksCount: 0,
    scope: {
      name: scope.name,
      version: scope.version,
      attributes: [],
      droppedAttributesCount: 0,
      schemaUrl: "",
    },
    resource: {
      serviceName: resource.serviceName,
      attributes: mapped(text("service.name", resource.serviceName), ...resource.attributes),
      droppedAttributesCount: 0,
      schemaUrl: "",
    },
  };
}

describe("spans of OTLP", () => {
  test("keep ids, parent, times, kind, status, trace state, scope, events, links and typed attributes", () => {
    fc.assert(
      fc.property(translatable, (span) => {
        const [back] = roundTrip([span], "proto");
        if (back === undefined) {
          throw new Error("no span came back");
        }
        expect(otlpOfModel(back, resourceOfProcess(back.resource))).toEqual(survivorOf(span));
      }),
      { seed: 22, numRuns: 500 },
    );
  });
});
