import type { Attribute, AttributeValue } from "../model/attribute.ts";
import { type Span, type SpanEvent, type SpanLink, spanKinds, statusCodes } from "../model/span.ts";
import { checkAttributeDepth } from "../rows/typed-json.ts";
import { type EncodeOptions, groupSpans, type ResourceGroup } from "./group-spans.ts";

/**
 * Converts spans of every format to OTLP JSON; `encodeTraces` converts the same to protobuf. Ids become hex, enums
 * numbers, 64-bit numbers strings, bytes base64. Defaults are omitted, except `parentSpanId`, `scope` and `status`, as
 * in Jaeger.
 * @throws WireError WIRE_TOO_DEEP past `maxAttributeDepth`
 *
 * Source: opentelemetry-proto docs/specification.md, "JSON Protobuf Encoding".
 */
export function encodeTracesJson(spans: readonly Span[], options?: EncodeOptions): string {
  return JSON.stringify(tracesJsonValue(spans, options));
}

/** The object that `encodeTracesJson` prints, for callers that change parts of the object. */
export function tracesJsonValue(
  spans: readonly Span[],
  options?: EncodeOptions,
): { resourceSpans: object[] } {
  return { resourceSpans: groupSpans(spans, options).map(resourceSpansOf) };
}

function resourceSpansOf({ resource, scopes }: ResourceGroup): object {
  return {
    resource: attributesOf(resource),
    scopeSpans: scopes.map(({ scope, spans }) => ({
      scope: { ...textOf("name", scope.name), ...textOf("version", scope.version), ...attributesOf(scope) },
      spans: spans.map(spanOf),
      ...textOf("schemaUrl", scope.schemaUrl),
    })),
    ...textOf("schemaUrl", resource.schemaUrl),
  };
}

/** The order of members is the same as in Jaeger, because its tests compare the text. */
function spanOf(span: Span): object {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...textOf("traceState", span.traceState),
    parentSpanId: span.parentSpanId,
    ...numberOf("flags", span.flags),
    ...textOf("name", span.name),
    ...numberOf("kind", spanKinds.indexOf(span.kind)),
    ...timeOf("startTimeUnixNano", span.startTimeUnixNano),
    ...timeOf("endTimeUnixNano", span.startTimeUnixNano + span.durationNano),
    ...attributesOf(span),
    ...listOf("events", span.events.map(eventOf)),
    ...numberOf("droppedEventsCount", span.droppedEventsCount),
    ...listOf("links", span.links.map(linkOf)),
    ...numberOf("droppedLinksCount", span.droppedLinksCount),
    status: {
      ...textOf("message", span.status.message),
      ...numberOf("code", statusCodes.indexOf(span.status.code)),
    },
  };
}

function eventOf(event: SpanEvent): object {
  return {
    ...timeOf("timeUnixNano", event.timeUnixNano),
    ...textOf("name", event.name),
    ...attributesOf(event),
  };
}

function linkOf(link: SpanLink): object {
  return {
    traceId: idOf(link.traceId),
    spanId: idOf(link.spanId),
    ...textOf("traceState", link.traceState),
    ...attributesOf(link),
    ...numberOf("flags", link.flags),
  };
}

/** An id in JSON; an id of zeros becomes "". */
function idOf(id: string): string {
  return /^0*$/.test(id) ? "" : id;
}

/** The members that resources, scopes, spans, events and links share. */
interface HasAttributes {
  readonly attributes: readonly Attribute[];
  readonly droppedAttributesCount: number;
}

function attributesOf({ attributes, droppedAttributesCount }: HasAttributes): object {
  return {
    ...listOf(
      "attributes",
      attributes.map((one) => keyValueOf(one)),
    ),
    ...numberOf("droppedAttributesCount", droppedAttributesCount),
  };
}

function keyValueOf({ key, value }: Attribute, depth = 0): object {
  return { ...textOf("key", key), value: anyValueOf(value, depth) };
}

/** `{"intValue":"3"}`: an int becomes a string, because most readers lose digits of JSON numbers above 2^53. */
function anyValueOf(value: AttributeValue, depth: number): object {
  if (value.type === "array" || value.type === "kvlist") {
    checkAttributeDepth(depth + 1);
  }
  switch (value.type) {
    case "empty":
      return {};
    case "string":
      return { stringValue: value.value };
    case "bool":
      return { boolValue: value.value };
    case "int":
      return { intValue: String(value.value) };
    case "double":
      return { doubleValue: doubleOf(value.value) };
    case "bytes":
      return { bytesValue: Buffer.from(value.value).toString("base64") };
    case "array":
      return {
        arrayValue: listOf(
          "values",
          value.value.map((item) => anyValueOf(item, depth + 1)),
        ),
      };
    case "kvlist":
      return {
        kvlistValue: listOf(
          "values",
          value.value.map((one) => keyValueOf(one, depth + 1)),
        ),
      };
  }
}

/** JSON has no NaN and no infinities, and JavaScript does not print the sign of -0, so these become strings. */
function doubleOf(value: number): number | string {
  if (Object.is(value, -0)) {
    return "-0";
  }
  return Number.isFinite(value) ? value : String(value);
}

function textOf(name: string, text: string): object {
  return text === "" ? {} : { [name]: text };
}

function numberOf(name: string, number: number): object {
  return number === 0 ? {} : { [name]: number };
}

/** Nanoseconds since the epoch as text; a time of 0 is omitted. OTLP's times are unsigned. */
function timeOf(name: string, time: bigint): object {
  return time === 0n ? {} : { [name]: String(BigInt.asUintN(64, time)) };
}

function listOf(name: string, items: readonly object[]): object {
  return items.length === 0 ? {} : { [name]: items };
}
