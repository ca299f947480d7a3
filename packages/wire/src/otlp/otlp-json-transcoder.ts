import {
  type Resource,
  type Scope,
  type Span,
  type SpanEvent,
  type SpanLink,
  spanKinds,
  statusCodes,
} from "../model/span.ts";
import type { MessageTranscoder, TranscodeResult, TranscoderOptions } from "../rows/message-transcoder.ts";
import { RejectedSpans } from "../rows/rejected-spans.ts";
import { SpanRowWriter } from "../rows/span-row-writer.ts";
import { attributesOf } from "./json-attributes.ts";
import {
  asObject,
  enumOf,
  idOf,
  type JsonObject,
  messageOf,
  messagesOf,
  stringOf,
  timeOf,
  uint32Of,
} from "./json-fields.ts";
import { parseJsonExactly } from "./parse-json-exactly.ts";
import { serviceNameOf } from "./service-name.ts";

const noTraceId = "0".repeat(32);
const noSpanId = "0".repeat(16);
const none: JsonObject = {};

/**
 * Turns OTLP JSON into rows. Ids are hex in either case, enums numbers or names, 64-bit numbers strings or numbers
 * (exact in both cases), bytes base64; names are lowerCamelCase or the proto's snake_case; unknown members are ignored.
 *
 * Source: opentelemetry-proto docs/specification.md, "JSON Protobuf Encoding".
 */
export class OtlpJsonTranscoder implements MessageTranscoder {
  readonly #writer: SpanRowWriter;

  constructor(options: TranscoderOptions = {}) {
    this.#writer = new SpanRowWriter(options);
  }

  /**
   * @param request an `ExportTraceServiceRequest` or `TracesData` as JSON in UTF-8; the caller limits its size
   * @param tenant whose spans they are; "" where tenancy is off
   * @throws WireError and nothing is kept of the request: WIRE_MALFORMED when it is not JSON or a member does not fit;
   *   WIRE_BAD_ID for an id of a wrong length; WIRE_TOO_DEEP for values nested past `maxAttributeDepth`;
   *   WIRE_TOO_LARGE past `maxRowsBytes` or 2,000,000 values
   */
  transcode(request: Uint8Array, tenant = ""): TranscodeResult {
    const rejected = new RejectedSpans();
    // What an earlier request left when it was refused in the middle.
    this.#writer.take();
    for (const span of spansOf(asObject(parseJsonExactly(request), "request"))) {
      if (span.traceId === noTraceId) rejected.add(span.name, "an empty trace id");
      else if (span.spanId === noSpanId) rejected.add(span.name, "an empty span id");
      else this.#writer.append(span, tenant);
    }
    return {
      rows: this.#writer.take(),
      rejectedSpans: rejected.count,
      errorMessage: rejected.errorMessage,
    };
  }
}

function* spansOf(request: JsonObject): Generator<Span> {
  for (const resourceSpans of messagesOf(request, "resourceSpans")) {
    const resource = resourceOf(resourceSpans);
    for (const scopeSpans of messagesOf(resourceSpans, "scopeSpans")) {
      const scope = scopeOf(scopeSpans);
      for (const span of messagesOf(scopeSpans, "spans")) yield spanOf(span, resource, scope);
    }
  }
}

function resourceOf(resourceSpans: JsonObject): Resource {
  const resource = messageOf(resourceSpans, "resource") ?? none;
  const attributes = attributesOf(resource);
  return {
    serviceName: serviceNameOf(attributes),
    attributes,
    droppedAttributesCount: uint32Of(resource, "droppedAttributesCount"),
    schemaUrl: stringOf(resourceSpans, "schemaUrl"),
  };
}

function scopeOf(scopeSpans: JsonObject): Scope {
  const scope = messageOf(scopeSpans, "scope") ?? none;
  return {
    name: stringOf(scope, "name"),
    version: stringOf(scope, "version"),
    attributes: attributesOf(scope),
    droppedAttributesCount: uint32Of(scope, "droppedAttributesCount"),
    schemaUrl: stringOf(scopeSpans, "schemaUrl"),
  };
}

function spanOf(span: JsonObject, resource: Resource, scope: Scope): Span {
  const parentSpanId = idOf(span, "parentSpanId", 8);
  const startTimeUnixNano = timeOf(span, "startTimeUnixNano");
  const status = messageOf(span, "status") ?? none;
  return {
    traceId: idOf(span, "traceId", 16) || noTraceId,
    spanId: idOf(span, "spanId", 8) || noSpanId,
    parentSpanId: parentSpanId === noSpanId ? "" : parentSpanId,
    traceState: stringOf(span, "traceState"),
    flags: uint32Of(span, "flags"),
    name: stringOf(span, "name"),
    kind: enumOf(span, "kind", "SPAN_KIND_", spanKinds),
    startTimeUnixNano,
    durationNano: timeOf(span, "endTimeUnixNano") - startTimeUnixNano,
    attributes: attributesOf(span),
    droppedAttributesCount: uint32Of(span, "droppedAttributesCount"),
    events: messagesOf(span, "events").map(eventOf),
    droppedEventsCount: uint32Of(span, "droppedEventsCount"),
    links: messagesOf(span, "links").map(linkOf),
    droppedLinksCount: uint32Of(span, "droppedLinksCount"),
    status: {
      code: enumOf(status, "code", "STATUS_CODE_", statusCodes),
      message: stringOf(status, "message"),
    },
    resource,
    scope,
    format: "otlp",
    warnings: [],
  };
}

function eventOf(event: JsonObject): SpanEvent {
  return {
    timeUnixNano: timeOf(event, "timeUnixNano"),
    name: stringOf(event, "name"),
    attributes: attributesOf(event),
    droppedAttributesCount: uint32Of(event, "droppedAttributesCount"),
  };
}

function linkOf(link: JsonObject): SpanLink {
  return {
    traceId: idOf(link, "traceId", 16) || noTraceId,
    spanId: idOf(link, "spanId", 8) || noSpanId,
    traceState: stringOf(link, "traceState"),
    attributes: attributesOf(link),
    droppedAttributesCount: uint32Of(link, "droppedAttributesCount"),
    flags: uint32Of(link, "flags"),
    refType: "none",
  };
}
