import {
  type Span as ApiV2Span,
  type KeyValue,
  type Log,
  type Process,
  type SpanRef,
  SpanRefType,
} from "../gen/tracing/api_v2/model.ts";
import { isParentLink, type Span, type SpanLink } from "../model/span.ts";
import { idToBytes } from "./id-texts.ts";
import { toDuration, toTimestamp } from "./nano-times.ts";
import { boolTag, stringTag, tagFromAttribute } from "./tags.ts";

/**
 * Converts a span to the `api_v2` model, which Jaeger's services, remote storage and the UI's JSON use. Spans that
 * arrived in this model stay unchanged; spans of OTLP and Zipkin are converted as in Jaeger. The span always has a
 * process. The last tag is `internal.span.format`, with the span's format as its value. Spans that a collector wrote
 * through the remote storage API already have this tag.
 */
export function toApiV2Span(span: Span): ApiV2Span {
  const isOlderModel = span.format === "proto" || span.format === "jaeger";
  return {
    traceId: idToBytes(span.traceId),
    spanId: idToBytes(span.spanId),
    operationName: span.name,
    startTime: toTimestamp(span.startTimeUnixNano),
    duration: toDuration(span.durationNano),
    ...(isOlderModel ? verbatim(span) : translated(span)),
    processId: "",
    warnings: [...span.warnings],
  };
}

/** The fields whose conversion depends on the span's format. */
type FormatDependent = Pick<ApiV2Span, "references" | "flags" | "tags" | "logs" | "process">;

/**
 * Conversion for spans that arrived in the `api_v2` model: all parts are unchanged, and a tag with the format is added.
 */
function verbatim(span: Span): FormatDependent {
  return {
    references: span.links.map(referenceOf),
    flags: span.flags,
    tags: withFormat(span.attributes.map(tagFromAttribute), span),
    logs: span.events.map((event) => ({
      timestamp: toTimestamp(event.timeUnixNano),
      fields: event.attributes.map(tagFromAttribute),
    })),
    process: {
      serviceName: span.resource.serviceName,
      tags: span.resource.attributes.map(tagFromAttribute),
    },
  };
}

/** Conversion for spans that arrived as OTLP or Zipkin. */
function translated(span: Span): FormatDependent {
  return {
    references: otlpReferences(span),
    flags: 0, // OTLP's flags are W3C flags with another meaning, so Jaeger omits them.
    tags: withFormat(otlpTags(span), span),
    logs: otlpLogs(span),
    process: otlpProcess(span),
  };
}

export const formatTagKey = "internal.span.format";

/** Appends the format tag, unless the last tag already is a format tag. */
function withFormat(tags: KeyValue[], span: Span): KeyValue[] {
  if (tags.at(-1)?.key !== formatTagKey) {
    tags.push(stringTag(formatTagKey, span.format));
  }
  return tags;
}

function referenceOf(link: SpanLink): SpanRef {
  return {
    traceId: idToBytes(link.traceId),
    spanId: idToBytes(link.spanId),
    refType: link.refType === "child_of" ? SpanRefType.CHILD_OF : SpanRefType.FOLLOWS_FROM,
  };
}

// Translates OTLP and Zipkin spans to the `api_v2` model as Jaeger does. Source: opentelemetry-collector-contrib
// pkg/translator/jaeger, as used by release 1.62 of Jaeger.

/** Scope, attributes, kind, status and trace state as tags, in Jaeger's order. */
export function otlpTags({ scope, attributes, kind, status, traceState }: Span): KeyValue[] {
  const tags: KeyValue[] = [];
  if (scope.name !== "") {
    tags.push(stringTag("otel.scope.name", scope.name));
  }
  if (scope.version !== "") {
    tags.push(stringTag("otel.scope.version", scope.version));
  }
  for (const attribute of attributes) {
    tags.push(tagFromAttribute(attribute));
  }
  if (kind !== "unspecified") {
    tags.push(stringTag("span.kind", kind));
  }
  if (status.code !== "unset") {
    tags.push(stringTag("otel.status_code", status.code.toUpperCase()));
  }
  if (status.code === "error") {
    tags.push(boolTag("error", true));
  }
  if (status.message !== "") {
    tags.push(stringTag("otel.status_description", status.message));
  }
  if (traceState !== "") {
    tags.push(stringTag("w3c.tracestate", traceState));
  }
  return tags;
}

/**
 * Converts events to logs; an event's name becomes the field `event`, unless the event has an attribute with this key.
 */
export function otlpLogs({ events }: Span): Log[] {
  return events.map(({ timeUnixNano, name, attributes }) => {
    const isNamed = name !== "" && !attributes.some((attribute) => attribute.key === "event");
    return {
      timestamp: toTimestamp(timeUnixNano),
      fields: [...(isNamed ? [stringTag("event", name)] : []), ...attributes.map(tagFromAttribute)],
    };
  });
}

/** The resource's attributes without `service.name`. */
export function otlpProcess({ resource }: Span): Process {
  return {
    serviceName: resource.serviceName,
    tags: resource.attributes.filter((attribute) => attribute.key !== "service.name").map(tagFromAttribute),
  };
}

/**
 * References of the span: first the parent, then one for each link. A link to the parent adds no reference; it only
 * sets the type of the parent's reference.
 */
export function otlpReferences({ traceId, parentSpanId, links }: Span): SpanRef[] {
  const references: SpanRef[] = [];
  const parent = parentSpanId === "" ? undefined : reference(traceId, parentSpanId, SpanRefType.CHILD_OF);
  if (parent !== undefined) {
    references.push(parent);
  }
  for (const link of links) {
    const refType = refTypeOf(link);
    if (parent !== undefined && link.traceId === traceId && link.spanId === parentSpanId) {
      parent.refType = refType;
    } else {
      references.push(reference(link.traceId, link.spanId, refType));
    }
  }
  return references;
}

function reference(traceId: string, spanId: string, refType: SpanRefType): SpanRef {
  return { traceId: idToBytes(traceId), spanId: idToBytes(spanId), refType };
}

function refTypeOf(link: SpanLink): SpanRefType {
  return isParentLink(link) ? SpanRefType.CHILD_OF : SpanRefType.FOLLOWS_FROM;
}
