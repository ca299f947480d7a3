import {
  type Span as ApiV2Span,
  type KeyValue,
  type SpanRef,
  SpanRefType,
} from "../gen/tracing/api_v2/model.ts";
import type { Span, SpanLink } from "../model/span.ts";
import { idToBytes } from "./id-bytes.ts";
import { toDuration, toTimestamp } from "./nano-times.ts";
import { otlpLogs, otlpProcess, otlpReferences, otlpTags } from "./otlp-as-api-v2.ts";
import { stringTag, tagFromAttribute } from "./tags.ts";

/**
 * A span in the older model, as `api_v2` services, remote storage and the UI's JSON show it. Spans of that model are
 * unchanged; spans of OTLP and Zipkin are translated as in the public model. The span always has a process. The last
 * tag is `internal.span.format` with the format. Spans that a collector wrote through the remote storage API already
 * have this tag.
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

/** Conversion for spans that arrived in the older model: all parts are unchanged. */
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
    flags: 0, // OTLP's flags are the W3C ones, not the older model's, so the public model omits them.
    tags: withFormat(otlpTags(span), span),
    logs: otlpLogs(span),
    process: otlpProcess(span),
  };
}

/** Key of the tag with the format of a span. */
export const formatTagKey = "internal.span.format";

/** Appends the format tag, unless the last tag is one. */
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
