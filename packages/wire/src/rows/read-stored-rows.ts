import { type Span, type SpanLink, spanFormats, spanKinds, statusCodes } from "../model/span.ts";
import { DetailsText, type OwnDetails } from "./details-text.ts";
import { readEventText } from "./event-text.ts";
import { readScopeText } from "./scope-text.ts";
import { noParent, readAttributeList, readEnum, type SpanOrigin, SpanRowReader } from "./span-row-reader.ts";

/**
 * Reads rows in the order of `storedColumns`. Adjacent spans with the same resource and scope share these
 * objects, as in `readSpanRows`.
 *
 * The caller bounds `bytes`; the spans take about three times as much memory.
 *
 * @throws WireError WIRE_TRUNCATED when the bytes end inside a row. WIRE_MALFORMED for an unknown enum number, an
 *   attribute text that does not fit its type, or texts of scope, events or details in another form
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

/** Reads stored rows from one buffer, and keeps facts about the last span that a `Span` does not have. */
export class StoredRowReader extends SpanRowReader {
  readonly details = new DetailsText(this);
  readonly #traceId = new Int32Array(4);
  #traceIdText = "";
  origin: SpanOrigin | undefined;
  /** Where its details begin, including their length. */
  detailsAt = 0;
  /**
   * Where the rest of the details' text begins, when it begins with fields of resource and scope; otherwise
   * 0.
   */
  ownAt = 0;

  /** The next 16 bytes in hex; adjacent spans of a trace share one string. */
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

/** Determines the origin of a span. */
export interface SpanPrefix {
  /** The origin of spans whose details say nothing about it. */
  readonly plain: SpanOrigin;
  /** The origin of a span with an opened tuple; skips the fields of resource and scope. */
  origin(details: DetailsText, bytes: Buffer): SpanOrigin;
}

/** Resource and scope by the columns before `trace_id`, and by what details of single spans add. */
export class StoredPrefix implements SpanPrefix {
  readonly plain: SpanOrigin;
  /** Origins by the added details, as one character for each byte. */
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

/** The beginning of tuples that say nothing about resource and scope. */
const saysNothing = Buffer.from("(0,[],0,");

/** A prefix, and where its bytes were. */
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

/** Facts from which answers are built: the spans of each trace, by their start. */
export interface SpanPlace {
  readonly traceId: string;
  /** The upper half of the nanoseconds at which it starts, signed, and the lower, which is not. */
  readonly startHigh: number;
  readonly startLow: number;
  /** True when it has links, one of which may also name its parent. */
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

/** The columns from `trace_id` on. */
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

/** Details that are no tuple: empty, or the word `parent`. */
export const noDetails = -1;
export const parentAsDetails = -2;

/**
 * Skips the text of details. @returns `noDetails`, `parentAsDetails`, or where the tuple begins, for
 * `ownDetails`
 */
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

/** The tuple from `start` to the reader's position. */
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

/** Whether `[start, end)` is the word `parent`. */
function isOnlyParent(view: DataView, start: number, end: number): boolean {
  return end - start === 6 && view.getUint32(start) === 0x70617265 && view.getUint16(start + 4) === 0x6e74;
}

/** The link that the older model has for the parent. */
function linkToParent(traceId: string, spanId: string): SpanLink {
  const refType = "child_of";
  return { traceId, spanId, traceState: "", attributes: [], droppedAttributesCount: 0, flags: 0, refType };
}
