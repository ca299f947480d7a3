import { WireError } from "../errors.ts";
import { type Attribute, type AttributeType, attributeTypeCodes } from "../model/attribute.ts";
import {
  type Resource,
  refTypes,
  type Scope,
  type Span,
  type SpanEvent,
  type SpanFormat,
  type SpanLink,
  spanFormats,
  spanKinds,
  statusCodes,
} from "../model/span.ts";
import { attributeMark, malformedList, typeOfLetter, valueMark } from "./attribute-list.ts";
import { parseAttributeText } from "./attribute-text.ts";
import { RepeatCache } from "./repeat-cache.ts";
import { RowReader } from "./row-reader.ts";

const attributeTypes = Object.keys(attributeTypeCodes) as AttributeType[];
/** The id that says that a span has no parent, in hex. */
export const noParent = "0".repeat(16);

/**
 * Reads rows in the order of `spanColumns`, as `SpanRowWriter`, the transcoders and the store's RowBinary output
 * write them. Spans whose rows follow one another with the same resource and scope share these objects, and attributes
 * that come again are one object: a large trace is mostly repetition.
 *
 * The caller bounds `bytes`; the spans take about three times as much memory.
 *
 * @throws WireError WIRE_TRUNCATED when the bytes end inside a row; WIRE_MALFORMED for an unknown enum number or an
 *   attribute text that does not fit its type
 */
export function readSpanRows(bytes: Uint8Array): Span[] {
  const reader = new SpanRowReader(bytes);
  const spans: Span[] = [];
  let prefix: SpanRowPrefix | undefined;
  while (!reader.done) {
    if (prefix !== undefined && reader.repeats(prefix.start, prefix.end)) {
      reader.position += prefix.end - prefix.start;
    } else {
      prefix = readPrefix(reader);
    }
    spans.push(readSpan(reader, prefix, spans.at(-1)?.traceId));
  }
  return spans;
}

/** Reads rows out of one buffer, and knows the attributes that it has read lately. */
export class SpanRowReader extends RowReader {
  /** By their bytes in lists. */
  readonly listed = new RepeatCache<Attribute>(this.bytes);
  /** By their bytes as tuples. */
  readonly attributes = new RepeatCache<Attribute>(this.bytes);
}

/** The columns before `trace_id`, and where their bytes were. */
export interface SpanRowPrefix {
  readonly start: number;
  readonly end: number;
  readonly format: SpanFormat;
  readonly resource: Resource;
  readonly scope: Scope;
}

/** The columns of a row before `trace_id`, which many rows share. */
export function readPrefix(reader: SpanRowReader): SpanRowPrefix {
  const start = reader.position;
  reader.skipString(); // The tenant: the store gives nobody the rows of others.
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

/** The columns from `trace_id` on. @param lastTraceId of the span before, whose string is used again */
export function readSpan(
  reader: SpanRowReader,
  prefix: Pick<SpanRowPrefix, "format" | "resource" | "scope">,
  lastTraceId: string | undefined,
): Span {
  // Property initializers run in the order they are written in, which is the order of the columns.
  const traceId = reader.hex(16);
  const spanId = reader.hex(8);
  const parentSpanId = reader.hex(8);
  const traceState = reader.repeatedString();
  const flags = reader.uint32();
  return {
    // One string for all spans of a trace.
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

function readEvent(reader: SpanRowReader): SpanEvent {
  return {
    timeUnixNano: reader.int64(),
    name: reader.repeatedString(),
    attributes: readAttributes(reader),
    droppedAttributesCount: reader.uint32(),
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

/** Attributes that are one string. */
function readAttributeList(reader: SpanRowReader): Attribute[] {
  const { bytes } = reader;
  let start = reader.skipString();
  const last = reader.position - 1;
  const attributes: Attribute[] = [];
  if (start > last) return attributes;
  if (start === last || bytes[start] !== attributeMark || bytes[last] !== attributeMark) {
    throw malformedList(start);
  }
  while (start < last) {
    const known = reader.listed.findToMark(start + 1);
    const { end } = reader.listed;
    attributes.push(known ?? readListed(reader, start + 1, end));
    start = end;
  }
  return attributes;
}

/** The attribute that `[start, end)` is, marks aside, which `findToMark` did not find. */
function readListed(reader: SpanRowReader, start: number, end: number): Attribute {
  const { bytes } = reader;
  let keyEnd = start;
  while (keyEnd < end && bytes[keyEnd] !== valueMark) keyEnd++;
  const valueStart = keyEnd + 2;
  const type = valueStart > end ? undefined : typeOfLetter(bytes[keyEnd + 1] as number);
  if (type === undefined) throw malformedList(start);
  const key = reader.repeatedText(start, keyEnd);
  const attribute = { key, value: parseAttributeText(type, bytes.toString("utf8", valueStart, end)) };
  reader.listed.keep(start, end, attribute);
  return attribute;
}

function readAttributes(reader: SpanRowReader): Attribute[] {
  return readArray(reader, readAttribute);
}

function readAttribute(reader: SpanRowReader): Attribute {
  const start = reader.position;
  reader.skipString();
  reader.uint8();
  reader.skipString();
  const end = reader.position;
  const known = reader.attributes.find(start, end);
  if (known !== undefined) return known;
  reader.position = start;
  const key = reader.repeatedString();
  const type = readEnum(reader, attributeTypes);
  const attribute = { key, value: parseAttributeText(type, reader.string()) };
  reader.attributes.keep(start, end, attribute);
  return attribute;
}

function readArray<T>(reader: SpanRowReader, readItem: (reader: SpanRowReader) => T): T[] {
  // Grown item by item: a length out of damaged bytes must not reserve memory.
  const items: T[] = [];
  for (let left = reader.varint(); left > 0; left--) items.push(readItem(reader));
  return items;
}

function readEnum<T>(reader: SpanRowReader, names: readonly T[]): T {
  const number = reader.uint8();
  const name = names[number];
  if (name === undefined) {
    throw new WireError(
      "WIRE_MALFORMED",
      `enum number ${number} at byte ${reader.position - 1} of the rows is unknown`,
    );
  }
  return name;
}
