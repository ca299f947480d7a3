import type { AnyValue, KeyValue } from "../gen/opentelemetry/proto/common/v1/common.ts";
import type { Span as OtlpSpan, ResourceSpans } from "../gen/opentelemetry/proto/trace/v1/trace.ts";
import type { Attribute, AttributeValue } from "../model/attribute.ts";
import { type Span, type SpanEvent, type SpanLink, spanKinds, statusCodes } from "../model/span.ts";
import { checkAttributeDepth } from "../rows/typed-json.ts";
import type { ResourceGroup } from "./group-spans.ts";

/**
 * Spans of one resource in the form that generated code encodes.
 * @throws WireError WIRE_TOO_DEEP past `maxAttributeDepth`
 */
export function resourceSpansOf({ resource, scopes }: ResourceGroup): ResourceSpans {
  return {
    resource: {
      attributes: resource.attributes.map((one) => keyValueOf(one)),
      droppedAttributesCount: resource.droppedAttributesCount,
    },
    schemaUrl: resource.schemaUrl,
    scopeSpans: scopes.map(({ scope, spans }) => ({
      scope: {
        name: scope.name,
        version: scope.version,
        attributes: scope.attributes.map((one) => keyValueOf(one)),
        droppedAttributesCount: scope.droppedAttributesCount,
      },
      schemaUrl: scope.schemaUrl,
      spans: spans.map(messageOf),
    })),
  };
}

/**
 * Enum numbers are positions in `spanKinds` and `statusCodes`, which have OTLP's order. OTLP has the end of a span
 * instead of its duration. Both times are unsigned in OTLP, so negative times become large positive numbers.
 */
function messageOf(span: Span): OtlpSpan {
  return {
    traceId: Buffer.from(span.traceId, "hex"),
    spanId: Buffer.from(span.spanId, "hex"),
    traceState: span.traceState,
    parentSpanId: Buffer.from(span.parentSpanId, "hex"),
    name: span.name,
    kind: spanKinds.indexOf(span.kind) as OtlpSpan["kind"],
    startTimeUnixNano: BigInt.asUintN(64, span.startTimeUnixNano),
    endTimeUnixNano: BigInt.asUintN(64, span.startTimeUnixNano + span.durationNano),
    attributes: span.attributes.map((one) => keyValueOf(one)),
    droppedAttributesCount: span.droppedAttributesCount,
    events: span.events.map(eventOf),
    droppedEventsCount: span.droppedEventsCount,
    links: span.links.map(linkOf),
    droppedLinksCount: span.droppedLinksCount,
    status: { code: statusCodes.indexOf(span.status.code) as 0 | 1 | 2, message: span.status.message },
    flags: span.flags,
  };
}

function eventOf(event: SpanEvent): OtlpSpan["events"][number] {
  return {
    timeUnixNano: BigInt.asUintN(64, event.timeUnixNano),
    name: event.name,
    attributes: event.attributes.map((one) => keyValueOf(one)),
    droppedAttributesCount: event.droppedAttributesCount,
  };
}

function linkOf(link: SpanLink): OtlpSpan["links"][number] {
  return {
    traceId: Buffer.from(link.traceId, "hex"),
    spanId: Buffer.from(link.spanId, "hex"),
    traceState: link.traceState,
    attributes: link.attributes.map((one) => keyValueOf(one)),
    droppedAttributesCount: link.droppedAttributesCount,
    flags: link.flags,
  };
}

function keyValueOf({ key, value }: Attribute, depth = 0): KeyValue {
  return { key, value: anyValueOf(value, depth) };
}

/** @param depth number of lists and maps that contain the value; 0 for the value of an attribute */
function anyValueOf(value: AttributeValue, depth: number): AnyValue {
  if (value.type === "array" || value.type === "kvlist") {
    checkAttributeDepth(depth + 1);
  }
  switch (value.type) {
    case "empty":
      return { value: undefined };
    case "string":
      return { value: { $case: "stringValue", value: value.value } };
    case "bool":
      return { value: { $case: "boolValue", value: value.value } };
    case "int":
      return { value: { $case: "intValue", value: value.value } };
    case "double":
      return { value: { $case: "doubleValue", value: value.value } };
    case "bytes":
      return { value: { $case: "bytesValue", value: Buffer.from(value.value) } };
    case "array":
      return {
        value: {
          $case: "arrayValue",
          value: { values: value.value.map((item) => anyValueOf(item, depth + 1)) },
        },
      };
    case "kvlist":
      return {
        value: {
          $case: "kvlistValue",
          value: { values: value.value.map((one) => keyValueOf(one, depth + 1)) },
        },
      };
  }
}
