import { ExportTraceServiceRequest } from "../gen/opentelemetry/proto/collector/trace/v1/trace_service.ts";
import type { AnyValue, KeyValue } from "../gen/opentelemetry/proto/common/v1/common.ts";
import type { Span as OtlpSpan, ResourceSpans } from "../gen/opentelemetry/proto/trace/v1/trace.ts";
import type { Attribute, AttributeValue } from "../model/attribute.ts";
import { type Span, spanKinds, statusCodes } from "../model/span.ts";
import { serviceNameOf } from "./service-name.ts";

/**
 * For tests: the OTLP request that holds the spans, made with generated code and thus independent of the transcoders.
 * A `ResourceSpans` for each span.
 */
export function requestOfSpans(spans: readonly Span[]): ExportTraceServiceRequest {
  return { resourceSpans: spans.map(resourceSpansOf) };
}

/** For tests: the span as it comes back out of OTLP, which knows no warnings, reference types and other formats. */
export function otlpSpanOf(span: Span): Span {
  return {
    ...span,
    links: span.links.map((link) => ({ ...link, refType: "none" })),
    resource: { ...span.resource, serviceName: serviceNameOf(span.resource.attributes) },
    format: "otlp",
    warnings: [],
  };
}

/** For tests: the request in OTLP's JSON form (hex ids), otherwise as generated code prints protobuf JSON. */
export function otlpJsonOf(request: ExportTraceServiceRequest): string {
  return JSON.stringify(ExportTraceServiceRequest.toJSON(request), (key, value: unknown) => {
    if (/^(traceId|spanId|parentSpanId)$/.test(key))
      return Buffer.from(value as string, "base64").toString("hex");
    if (typeof value === "number" && (!Number.isFinite(value) || Object.is(value, -0))) {
      return Object.is(value, -0) ? "-0" : String(value);
    }
    return value;
  });
}

function resourceSpansOf(span: Span): ResourceSpans {
  const { resource, scope } = span;
  return {
    resource: {
      attributes: resource.attributes.map(keyValueOf),
      droppedAttributesCount: resource.droppedAttributesCount,
    },
    schemaUrl: resource.schemaUrl,
    scopeSpans: [
      {
        scope: {
          name: scope.name,
          version: scope.version,
          attributes: scope.attributes.map(keyValueOf),
          droppedAttributesCount: scope.droppedAttributesCount,
        },
        schemaUrl: scope.schemaUrl,
        spans: [otlpMessageOf(span)],
      },
    ],
  };
}

function otlpMessageOf(span: Span): OtlpSpan {
  return {
    traceId: Buffer.from(span.traceId, "hex"),
    spanId: Buffer.from(span.spanId, "hex"),
    traceState: span.traceState,
    parentSpanId: Buffer.from(span.parentSpanId, "hex"),
    name: span.name,
    kind: spanKinds.indexOf(span.kind) as OtlpSpan["kind"],
    startTimeUnixNano: BigInt.asUintN(64, span.startTimeUnixNano),
    endTimeUnixNano: BigInt.asUintN(64, span.startTimeUnixNano + span.durationNano),
    attributes: span.attributes.map(keyValueOf),
    droppedAttributesCount: span.droppedAttributesCount,
    events: span.events.map((event) => ({
      timeUnixNano: BigInt.asUintN(64, event.timeUnixNano),
      name: event.name,
      attributes: event.attributes.map(keyValueOf),
      droppedAttributesCount: event.droppedAttributesCount,
    })),
    droppedEventsCount: span.droppedEventsCount,
    links: span.links.map((link) => ({
      traceId: Buffer.from(link.traceId, "hex"),
      spanId: Buffer.from(link.spanId, "hex"),
      traceState: link.traceState,
      attributes: link.attributes.map(keyValueOf),
      droppedAttributesCount: link.droppedAttributesCount,
      flags: link.flags,
    })),
    droppedLinksCount: span.droppedLinksCount,
    status: {
      message: span.status.message,
      code: statusCodes.indexOf(span.status.code) as 0 | 1 | 2,
    },
    flags: span.flags,
  };
}

function keyValueOf({ key, value }: Attribute): KeyValue {
  return { key, value: anyValueOf(value) };
}

function anyValueOf(value: AttributeValue): AnyValue {
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
      return { value: { $case: "arrayValue", value: { values: value.value.map(anyValueOf) } } };
    case "kvlist":
      return { value: { $case: "kvlistValue", value: { values: value.value.map(keyValueOf) } } };
  }
}
