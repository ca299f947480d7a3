import { type Span, type SpanEvent, spanFormats, spanKinds, statusCodes } from "../model/span.ts";
import { attributeListOf, eventMark, fieldMark } from "../rows/attribute-list.ts";
import { ByteWriter } from "../rows/byte-writer.ts";
import { textMark } from "../rows/scope-text.ts";
import { detailsTextOf } from "./details-text-of.ts";

/** For tests: spans as rows that the store returns to `readStoredRows`. */
export function storedRowsOf(
  spans: readonly Span[],
  detailsOf: (span: Span) => Buffer = detailsTextOf,
): Buffer {
  const out = new ByteWriter();
  for (const span of spans) {
    writeStored(out, span, detailsOf(span));
  }
  return Buffer.from(out.bytes);
}

/**
 * Writes one row in the order of `storedColumns`. The parent's id of a root is eight zero bytes; the scope is one
 * string, and the events are one string.
 */
function writeStored(out: ByteWriter, span: Span, details: Buffer): void {
  const { resource } = span;
  out.uint8(spanFormats.indexOf(span.format));
  out.string(resource.serviceName);
  writeBytes(out, attributeListOf(resource.attributes));
  writeBytes(out, scopeTextOf(span));
  out.hex(span.traceId, 16);
  out.hex(span.spanId, 8);
  out.hex(span.parentSpanId || "0".repeat(16), 8);
  out.string(span.traceState);
  out.uint32(span.flags);
  out.string(span.name);
  out.uint8(spanKinds.indexOf(span.kind));
  out.int64(span.startTimeUnixNano);
  out.int64(span.durationNano);
  out.uint8(statusCodes.indexOf(span.status.code));
  out.string(span.status.message);
  writeBytes(out, attributeListOf(span.attributes));
  writeBytes(out, eventTextOf(span.events));
  writeBytes(out, details);
}

/** Column `scope_text`: `name 0xFF version 0xFF schema URL 0xFF schema URL of the resource`. */
function scopeTextOf({ resource, scope }: Span): Buffer {
  return withMarks(textMark, [scope.name, scope.version, scope.schemaUrl, resource.schemaUrl]);
}

/** Column `event_text`, in the form that `attribute-list.ts` describes. */
function eventTextOf(events: readonly SpanEvent[]): Buffer {
  return Buffer.concat(
    events.flatMap(({ timeUnixNano, droppedAttributesCount, name, attributes }) => [
      Buffer.from([eventMark]),
      withMarks(fieldMark, [`${timeUnixNano}`, name]),
      attributeListOf(attributes),
      droppedAttributesCount === 0
        ? Buffer.alloc(0)
        : withMarks(fieldMark, ["", `${droppedAttributesCount}`]),
    ]),
  );
}

/** Joins texts, with the byte `mark` between them: `withMarks(0xff, ["a", "b"])` is `61 ff 62`. */
function withMarks(mark: number, texts: readonly string[]): Buffer {
  const pieces = texts.flatMap((text) => [Buffer.from([mark]), Buffer.from(text)]);
  return Buffer.concat(pieces.slice(1));
}

function writeBytes(out: ByteWriter, bytes: Buffer): void {
  out.varint(bytes.length);
  out.copy(bytes, 0, bytes.length);
}

/** For tests: the span without its rare fields. @param hasParent true: the link to the parent stays */
export function withoutDetails(span: Span, hasParent: boolean): Span {
  const { traceId, parentSpanId, resource, scope } = span;
  const plain = { attributes: [], droppedAttributesCount: 0 };
  const parent = { traceId, spanId: parentSpanId || "0".repeat(16), traceState: "", ...plain, flags: 0 };
  return {
    ...span,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    links: hasParent ? [{ ...parent, refType: "child_of" }] : [],
    droppedLinksCount: 0,
    warnings: [],
    resource: { ...resource, droppedAttributesCount: 0 },
    scope: { ...scope, ...plain },
  };
}
