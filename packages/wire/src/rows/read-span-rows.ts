import { refTypes, type Span, type SpanLink, spanFormats, spanKinds, statusCodes } from "../model/span.ts";
import { hasPrefixMark, prefixMarkBytes, prefixMissing } from "./row-prefixes.ts";
import {
  noParent,
  readArray,
  readAttributeList,
  readAttributes,
  readEnum,
  readEvent,
  type SpanOrigin,
  SpanRowReader,
} from "./span-row-reader.ts";

/**
 * Reads rows in the order of `spanColumns`, which `SpanRowWriter` and the transcoders write; for rows of the store, see
 * `readStoredRows`. Neighboring spans with the same resource and scope share these objects, and equal attributes are
 * one object, because large traces repeat them.
 *
 * The caller limits the size of `bytes`; the spans need about three times as much memory.
 *
 * @throws WireError WIRE_TRUNCATED when the bytes end inside a row; WIRE_MALFORMED for an unknown enum number
 *   or an attribute text that does not fit its type
 */
export function readSpanRows(bytes: Uint8Array): Span[] {
  const reader = new SpanRowReader(bytes);
  const spans: Span[] = [];
  let prefix: SpanRowPrefix | undefined;
  while (!reader.done) {
    if (hasPrefixMark(reader.bytes, reader.position)) {
      if (prefix === undefined) {
        throw prefixMissing(reader.position);
      }
      reader.position += prefixMarkBytes;
    } else if (prefix !== undefined && reader.repeats(prefix.start, prefix.end)) {
      reader.position += prefix.end - prefix.start;
    } else {
      prefix = readPrefix(reader);
    }
    spans.push(readSpan(reader, prefix, spans.at(-1)?.traceId));
  }
  return spans;
}

/** Resource, scope and format from the columns before `trace_id`, and the position of these columns. */
interface SpanRowPrefix extends SpanOrigin {
  readonly start: number;
  readonly end: number;
}

/** The columns of a row before `trace_id`, which many rows share. */
function readPrefix(reader: SpanRowReader): SpanRowPrefix {
  const start = reader.position;
  reader.skipString(); // The tenant is skipped: the store returns only rows of the caller's tenant.
  const format = readEnum(reader, spanFormats);
  const resource = {
    serviceName: reader.repeatedString(),
    attributes: readAttributeList(reader),
    droppedAttributesCount: reader.uint32(),
    schemaUrl: reader.repeatedString(),
  };
  const scope = {
    name: reader.repeatedString(),
    version: reader.repeatedString(),
    attributes: readAttributes(reader),
    droppedAttributesCount: reader.uint32(),
    schemaUrl: reader.repeatedString(),
  };
  return { start, end: reader.position, format, resource, scope };
}

/** Reads the columns from `trace_id` on. @param lastTraceId trace id of the previous span, whose string is reused */
function readSpan(reader: SpanRowReader, prefix: SpanOrigin, lastTraceId: string | undefined): Span {
  // Property initializers run in source order, which is the order of the columns.
  const traceId = reader.hex(16);
  const spanId = reader.hex(8);
  const parentSpanId = reader.hex(8);
  const traceState = reader.repeatedString();
  const flags = reader.uint32();
  return {
    // All spans of a trace have the same string.
    traceId: traceId === lastTraceId ? lastTraceId : traceId,
    spanId,
    parentSpanId: parentSpanId === noParent ? "" : parentSpanId,
    traceState,
    flags,
    name: reader.repeatedString(),
    kind: readEnum(reader, spanKinds),
    startTimeUnixNano: reader.int64(),
    durationNano: reader.int64(),
    status: { code: readEnum(reader, statusCodes), message: reader.repeatedString() },
    attributes: readAttributeList(reader),
    droppedAttributesCount: reader.uint32(),
    events: readArray(reader, readEvent),
    droppedEventsCount: reader.uint32(),
    links: readArray(reader, readLink),
    droppedLinksCount: reader.uint32(),
    warnings: readArray(reader, readWarning),
    resource: prefix.resource,
    scope: prefix.scope,
    format: prefix.format,
  };
}

function readLink(reader: SpanRowReader): SpanLink {
  return {
    traceId: reader.hex(16),
    spanId: reader.hex(8),
    traceState: reader.repeatedString(),
    attributes: readAttributes(reader),
    droppedAttributesCount: reader.uint32(),
    flags: reader.uint32(),
    refType: readEnum(reader, refTypes),
  };
}

function readWarning(reader: SpanRowReader): string {
  return reader.string();
}
