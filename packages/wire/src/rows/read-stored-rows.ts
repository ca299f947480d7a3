import { type Span, type SpanLink, spanFormats, spanKinds, statusCodes } from "../model/span.ts";
import { DetailsText, type OwnDetails } from "./details-text.ts";
import { readEventText } from "./read-event-text.ts";
import { readScopeText } from "./scope-text.ts";
import { noParent, readAttributeList, readEnum, type SpanOrigin, SpanRowReader } from "./span-row-reader.ts";

/**
 * Reads rows in the order of `storedColumns`. As in `readSpanRows`, neighboring spans with the same resource and scope
 * share these objects.
 *
 * The caller limits the size of `bytes`; the spans need about three times as much memory.
 *
 * @throws WireError WIRE_TRUNCATED when the bytes end inside a row. WIRE_MALFORMED for an unknown enum number, for an
 *   attribute text that does not fit its type, or for another form of scope, events or details
 */
export function readStoredRows(bytes: Uint8Array): Span[] {
  const reader = new StoredRowReader(bytes);
  const spans: Span[] = [];
  let prefix: PrefixBytes | undefined;
  while (!reader.done) {
    if (prefix !== undefined && reader.repeats(prefix.start, prefix.end)) {
      reader.position += prefix.end - prefix.start;
    } else {
      prefix = readStoredPrefix(reader);
    }
    spans.push(readStoredSpan(reader, prefix.prefix));
  }
  return spans;
}

/** Reads stored rows from one buffer. It also stores facts about the last span that are not in a `Span`. */
export class StoredRowReader extends SpanRowReader {
  readonly details = new DetailsText(this);
  readonly #traceId = new Int32Array(4);
  #traceIdText = "";
  origin: SpanOrigin | undefined;
  /** Position of the length of the span's details. */
  detailsAt = 0;
  /** Position of the details of the span itself, if details of resource and scope precede them; otherwise 0. */
  ownAt = 0;

  /** The next 16 bytes in hex; neighboring spans of a trace have the same string. */
  traceId(): string {
    const known = this.#traceId;
    const { view, position } = this;
    this.skip(16);
    let isKnown = this.#traceIdText !== "";
    for (let word = 0; word < known.length; word++) {
      const read = view.getInt32(position + 4 * word);
      if (read !== known[word]) {
        known[word] = read;
        isKnown = false;
      }
    }
    if (!isKnown) {
      this.#traceIdText = this.bytes.toString("hex", position, position + 16);
    }
    return this.#traceIdText;
  }
}

/** Finds the origin of a span: resource, scope and format. */
export interface SpanPrefix {
  /** Resource and scope for spans whose details do not change them. */
  readonly plain: SpanOrigin;
  /** Resource and scope for a span whose details are open; it skips their fields in the details. */
  origin(details: DetailsText, bytes: Buffer): SpanOrigin;
}

/** Resource and scope from the columns before `trace_id`. The details of single spans may add fields. */
export class StoredPrefix implements SpanPrefix {
  readonly plain: SpanOrigin;
  /** Resources and scopes with additional details, by these details as a string with one character for each byte. */
  #others: Map<string, SpanOrigin> | undefined;
  #last: { readonly said: Buffer; readonly origin: SpanOrigin } | undefined;

  constructor(plain: SpanOrigin) {
    this.plain = plain;
  }

  origin(details: DetailsText, bytes: Buffer): SpanOrigin {
    if (details.skip(saysNothing)) {
      return this.plain;
    }
    if (this.#last !== undefined && details.skip(this.#last.said)) {
      return this.#last.origin;
    }
    const start = details.position;
    const { resourceDropped, scopeAttributes, scopeDropped } = details.origin();
    const key = bytes.toString("latin1", start, details.position);
    this.#others ??= new Map();
    let origin = this.#others.get(key);
    if (origin === undefined) {
      const { format, resource, scope } = this.plain;
      origin = {
        format,
        resource: resourceDropped === 0 ? resource : { ...resource, droppedAttributesCount: resourceDropped },
        scope: { ...scope, attributes: scopeAttributes, droppedAttributesCount: scopeDropped },
      };
      this.#others.set(key, origin);
    }
    this.#last = { said: Buffer.from(key, "latin1"), origin };
    return origin;
  }
}

/** Start of a tuple without details of resource and scope. */
const saysNothing = Buffer.from("(0,[],0,");

/** A prefix and the position of its bytes. */
export interface PrefixBytes {
  readonly start: number;
  readonly end: number;
  readonly prefix: StoredPrefix;
}

/** The columns of a row before `trace_id`, which many rows share. */
export function readStoredPrefix(reader: StoredRowReader): PrefixBytes {
  const start = reader.position;
  const format = readEnum(reader, spanFormats);
  const serviceName = reader.repeatedString();
  const attributes = readAttributeList(reader);
  const { name, version, schemaUrl, resourceSchemaUrl } = readScopeText(reader);
  const resource = { serviceName, attributes, droppedAttributesCount: 0, schemaUrl: resourceSchemaUrl };
  const scope = { name, version, attributes: [], droppedAttributesCount: 0, schemaUrl };
  return { start, end: reader.position, prefix: new StoredPrefix({ format, resource, scope }) };
}

/** Skips the columns before `trace_id`. */
export function skipStoredPrefix(reader: StoredRowReader): void {
  reader.skip(1); // format
  for (let left = 3; left > 0; left--) {
    reader.skipString();
  }
}

/** Trace id and start of a span, by which answers group and sort spans. */
export interface SpanPlace {
  readonly traceId: string;
  /** Start in nanoseconds: upper 32 bits, signed. The next field has the lower 32 bits, unsigned. */
  readonly startHigh: number;
  readonly startLow: number;
  /** True when the span has links; a link may name the span's parent. */
  readonly hasLinks: boolean;
}

/** Skips the columns from `trace_id`. Attributes and events are not parsed. */
export function skipStoredSpan(reader: StoredRowReader, prefix: SpanPrefix): SpanPlace {
  const traceId = reader.traceId();
  reader.skip(16); // span_id, parent_span_id
  reader.skipString(); // trace_state
  reader.skip(4); // flags
  reader.skipString(); // name
  reader.skip(1); // kind
  const startAt = reader.position;
  reader.skip(17); // start, duration, status
  reader.skipString(); // status_message
  reader.skipString(); // attribute_text
  reader.skipString(); // event_text
  const start = openDetails(reader, prefix);
  const hasLinks =
    start === noDetails
      ? false
      : start === parentAsDetails || ownDetails(reader, prefix, start).links.length > 0;
  const startHigh = reader.view.getInt32(startAt + 4, true);
  return { traceId, startHigh, startLow: reader.view.getUint32(startAt, true), hasLinks };
}

/** Reads the columns from `trace_id` on. */
export function readStoredSpan(reader: StoredRowReader, prefix: SpanPrefix): Span {
  const traceId = reader.traceId();
  const spanId = reader.hex(8);
  const parentSpanId = reader.hex(8);
  const traceState = reader.repeatedString();
  const flags = reader.uint32();
  const name = reader.repeatedString();
  const kind = readEnum(reader, spanKinds);
  const startTimeUnixNano = reader.int64();
  const durationNano = reader.int64();
  const status = { code: readEnum(reader, statusCodes), message: reader.repeatedString() };
  const attributes = readAttributeList(reader);
  const events = readEventText(reader);
  const own = readDetails(reader, prefix, traceId, parentSpanId);
  const { format, resource, scope } = reader.origin as SpanOrigin;
  return {
    traceId,
    spanId,
    parentSpanId: parentSpanId === noParent ? "" : parentSpanId,
    traceState,
    flags,
    name,
    kind,
    startTimeUnixNano,
    durationNano,
    status,
    attributes,
    droppedAttributesCount: own.droppedAttributesCount,
    events,
    droppedEventsCount: own.droppedEventsCount,
    links: own.links,
    droppedLinksCount: own.droppedLinksCount,
    warnings: own.warnings,
    resource,
    scope,
    format,
  };
}

function readDetails(
  reader: StoredRowReader,
  prefix: SpanPrefix,
  traceId: string,
  parentSpanId: string,
): OwnDetails {
  const start = openDetails(reader, prefix);
  if (start === noDetails) {
    return detailsWith([]);
  }
  return start === parentAsDetails
    ? detailsWith([linkToParent(traceId, parentSpanId)])
    : ownDetails(reader, prefix, start);
}

/** Results for details that are no tuple: `noDetails` for empty details, `parentAsDetails` for the word `parent`. */
export const noDetails = -1;
export const parentAsDetails = -2;

/** Skips the text of details. @returns `noDetails`, `parentAsDetails`, or the tuple's position for `ownDetails` */
export function openDetails(reader: StoredRowReader, prefix: SpanPrefix): number {
  reader.detailsAt = reader.position;
  const start = reader.skipString();
  const end = reader.position;
  reader.ownAt = 0;
  reader.origin = prefix.plain;
  if (start === end) {
    return noDetails;
  }
  return isOnlyParent(reader.view, start, end) ? parentAsDetails : start;
}

/** Reads the tuple of the span's details, from `start` to the reader's position. */
function ownDetails(reader: StoredRowReader, prefix: SpanPrefix, start: number): OwnDetails {
  const { details } = reader;
  details.open(start, reader.position);
  reader.origin = prefix.origin(details, reader.bytes);
  if (details.position > start) {
    reader.ownAt = details.position;
  }
  return details.own();
}

function detailsWith(links: SpanLink[]): OwnDetails {
  return { droppedAttributesCount: 0, droppedEventsCount: 0, links, droppedLinksCount: 0, warnings: [] };
}

/** True when `[start, end)` is the word `parent`. */
function isOnlyParent(view: DataView, start: number, end: number): boolean {
  return end - start === 6 && view.getUint32(start) === 0x70617265 && view.getUint16(start + 4) === 0x6e74;
}

/** The link to the parent, as in the `api_v2` model. */
function linkToParent(traceId: string, spanId: string): SpanLink {
  const refType = "child_of";
  return { traceId, spanId, traceState: "", attributes: [], droppedAttributesCount: 0, flags: 0, refType };
}

/**
 * Columns of a span in the form in which the store returns them. They are the columns of `spanColumns` without the
 * tenant; some are joined into one text: see `scope-text.ts`, `attribute-list.ts` and `details-text.ts`.
 */
export const storedColumns = [
  "format",
  "service",
  "resource_text",
  "scope_text",
  "trace_id",
  "span_id",
  "parent_span_id",
  "trace_state",
  "flags",
  "name",
  "kind",
  "start",
  "duration",
  "status",
  "status_message",
  "attribute_text",
  "event_text",
  "span_details",
] as const;
