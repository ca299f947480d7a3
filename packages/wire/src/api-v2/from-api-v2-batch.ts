import {
  type Span as ApiV2Span,
  type Batch,
  type Log,
  type Process,
  type SpanRef,
  SpanRefType,
} from "../gen/tracing/api_v2/model.ts";
import type { Resource, Scope, Span, SpanEvent, SpanLink } from "../model/span.ts";
import { kindFromTags, parentFromReferences, statusFromTags } from "./derived-facts.ts";
import { spanIdFromBytes, traceIdFromBytes } from "./id-texts.ts";
import { isOutOfRange, timeMend, toNanos } from "./nano-times.ts";
import { attributeFromTag } from "./tags.ts";

/** Spans of the `api_v2` model have no instrumentation scope. */
export const noScope: Scope = {
  name: "",
  version: "",
  attributes: [],
  droppedAttributesCount: 0,
  schemaUrl: "",
};

/**
 * Converts an `api_v2` batch to the domain model; tags, logs and references stay unchanged. A span without a process
 * has the process of the batch. As in Jaeger, the service is `null-process-and-service-name` for a span
 * without any process, and `empty-service-name` for an empty name.
 * @param format "proto" for batches over gRPC, "jaeger" for Thrift
 * @throws WireError WIRE_BAD_ID when an id has a wrong length, so that no span of the batch is converted
 */
export function fromApiV2Batch(batch: Batch, format: "proto" | "jaeger"): Span[] {
  const shared = resourceOf(batch.process);
  return batch.spans.map((span) =>
    fromApiV2Span(span, span.process === undefined ? shared : resourceOf(span.process), format),
  );
}

/** A process as a resource; its attributes are the tags of the process. */
function resourceOf(process: Process | undefined): Resource {
  return {
    serviceName:
      process === undefined ? "null-process-and-service-name" : process.serviceName || "empty-service-name",
    attributes: process?.tags.map(attributeFromTag) ?? [],
    droppedAttributesCount: 0,
    schemaUrl: "",
  };
}

/**
 * For searches, parent, kind and status are derived from references and tags, because the `api_v2` model has no such
 * fields.
 */
function fromApiV2Span(span: ApiV2Span, resource: Resource, format: "proto" | "jaeger"): Span {
  const traceId = traceIdFromBytes(span.traceId);
  const attributes = span.tags.map(attributeFromTag);
  const links = span.references.map(linkOf);
  return {
    traceId,
    spanId: spanIdFromBytes(span.spanId),
    parentSpanId: parentFromReferences(traceId, links),
    traceState: "",
    flags: span.flags,
    name: span.operationName,
    kind: kindFromTags(attributes),
    startTimeUnixNano: toNanos(span.startTime),
    durationNano: toNanos(span.duration),
    attributes,
    droppedAttributesCount: 0,
    events: span.logs.map(eventOf),
    droppedEventsCount: 0,
    links,
    droppedLinksCount: 0,
    status: statusFromTags(attributes),
    resource,
    scope: noScope,
    format,
    warnings: hasFarTime(span) ? [...span.warnings, timeMend] : span.warnings,
  };
}

/** True when a time of the span was after the year 2262, and was replaced by the last time of 64-bit nanoseconds. */
function hasFarTime({ startTime, duration, logs }: ApiV2Span): boolean {
  return [startTime, duration, ...logs.map(({ timestamp }) => timestamp)].some(isOutOfRange);
}

function linkOf(reference: SpanRef): SpanLink {
  return {
    traceId: traceIdFromBytes(reference.traceId),
    spanId: spanIdFromBytes(reference.spanId),
    traceState: "",
    attributes: [],
    droppedAttributesCount: 0,
    flags: 0,
    refType: reference.refType === SpanRefType.CHILD_OF ? "child_of" : "follows_from",
  };
}

/** A log has no name; its field `event` stays an attribute. */
function eventOf(log: Log): SpanEvent {
  return {
    timeUnixNano: toNanos(log.timestamp),
    name: "",
    attributes: log.fields.map(attributeFromTag),
    droppedAttributesCount: 0,
  };
}
