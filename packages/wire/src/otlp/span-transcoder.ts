import { WireError } from "../errors.ts";
import { spanKinds, statusCodes } from "../model/span.ts";
import type { ByteWriter } from "../rows/byte-writer.ts";
import { AttributeTranscoder } from "./attribute-transcoder.ts";
import { FieldList } from "./field-list.ts";
import type { ProtoCursor } from "./proto-cursor.ts";

/**
 * Writes one OTLP `Span` message as the columns `trace_id` to `warnings`. First its fields are found, in whatever order
 * they come (the last occurrence of a singular one counts), then they are written in the order of the columns.
 *
 * A kind or status code that OTLP does not define is stored as 0 (`unspecified`, `unset`).
 */
export class SpanTranscoder {
  readonly #cursor: ProtoCursor;
  readonly #out: ByteWriter;
  readonly #attributeTranscoder: AttributeTranscoder;
  readonly #attributes = new FieldList();
  readonly #events = new FieldList();
  readonly #links = new FieldList();
  /** Attributes of the event or link at hand. */
  readonly #innerAttributes = new FieldList();

  #traceId = -1;
  #spanId = -1;
  #parentSpanId = -1;
  #traceStateStart = 0;
  #traceStateEnd = 0;
  #nameStart = 0;
  #nameEnd = 0;
  #kind = 0;
  #startLow = 0;
  #startHigh = 0;
  #endLow = 0;
  #endHigh = 0;
  #droppedAttributes = 0;
  #droppedEvents = 0;
  #droppedLinks = 0;
  #statusCode = 0;
  #statusStart = 0;
  #statusEnd = 0;
  #flags = 0;

  constructor(cursor: ProtoCursor, out: ByteWriter) {
    this.#cursor = cursor;
    this.#out = out;
    this.#attributeTranscoder = new AttributeTranscoder(cursor, out);
  }

  /**
   * Writes the span from the cursor's position to `end`.
   * @returns "" or, for a span that must be rejected, what it has ("an empty trace id"); the columns are then to be
   *   taken back
   * @throws WireError for bytes that are no span; WIRE_BAD_ID for an id of a wrong length
   */
  transcode(end: number): string {
    this.#clear();
    this.#scan(end);
    this.#write();
    this.#cursor.position = end;
    if (this.#isZero(this.#traceId, 16)) return "an empty trace id";
    if (this.#isZero(this.#spanId, 8)) return "an empty span id";
    return "";
  }

  /** Name of the span just transcoded. */
  get name(): string {
    return this.#cursor.bytes.toString("utf8", this.#nameStart, this.#nameEnd);
  }

  #clear(): void {
    this.#attributes.clear();
    this.#events.clear();
    this.#links.clear();
    this.#traceId = -1;
    this.#spanId = -1;
    this.#parentSpanId = -1;
    this.#traceStateStart = 0;
    this.#traceStateEnd = 0;
    this.#nameStart = 0;
    this.#nameEnd = 0;
    this.#kind = 0;
    this.#startLow = 0;
    this.#startHigh = 0;
    this.#endLow = 0;
    this.#endHigh = 0;
    this.#droppedAttributes = 0;
    this.#droppedEvents = 0;
    this.#droppedLinks = 0;
    this.#statusCode = 0;
    this.#statusStart = 0;
    this.#statusEnd = 0;
    this.#flags = 0;
  }

  #scan(end: number): void {
    const cursor = this.#cursor;
    while (cursor.position < end) {
      const tag = cursor.tag(end);
      switch (tag) {
        case 10:
          this.#traceId = this.#id(end, 16, "trace id");
          break;
        case 18:
          this.#spanId = this.#id(end, 8, "span id");
          break;
        case 26:
          this.#traceStateEnd = cursor.fieldEnd(end);
          this.#traceStateStart = cursor.position;
          cursor.position = this.#traceStateEnd;
          break;
        case 34:
          this.#parentSpanId = this.#id(end, 8, "parent span id");
          break;
        case 42:
          this.#nameEnd = cursor.fieldEnd(end);
          this.#nameStart = cursor.position;
          cursor.position = this.#nameEnd;
          break;
        case 48:
          this.#kind = cursor.uint32(end);
          break;
        case 57:
          cursor.fixed64(end);
          this.#startLow = cursor.low;
          this.#startHigh = cursor.high;
          break;
        case 65:
          cursor.fixed64(end);
          this.#endLow = cursor.low;
          this.#endHigh = cursor.high;
          break;
        case 74:
          this.#item(this.#attributes, end);
          break;
        case 80:
          this.#droppedAttributes = cursor.uint32(end);
          break;
        case 90:
          this.#item(this.#events, end);
          break;
        case 96:
          this.#droppedEvents = cursor.uint32(end);
          break;
        case 106:
          this.#item(this.#links, end);
          break;
        case 112:
          this.#droppedLinks = cursor.uint32(end);
          break;
        case 122:
          this.#scanStatus(cursor.fieldEnd(end));
          break;
        case 133:
          this.#flags = cursor.fixed32(end);
          break;
        default:
          cursor.skip(tag, end);
      }
    }
  }

  #scanStatus(end: number): void {
    const cursor = this.#cursor;
    while (cursor.position < end) {
      const tag = cursor.tag(end);
      if (tag === 18) {
        this.#statusEnd = cursor.fieldEnd(end);
        this.#statusStart = cursor.position;
        cursor.position = this.#statusEnd;
      } else if (tag === 24) {
        this.#statusCode = cursor.uint32(end);
      } else {
        cursor.skip(tag, end);
      }
    }
  }

  #write(): void {
    const out = this.#out;
    const attributes = this.#attributeTranscoder;
    this.#writeId(this.#traceId, 16);
    this.#writeId(this.#spanId, 8);
    this.#writeId(this.#parentSpanId, 8);
    attributes.text(this.#traceStateStart, this.#traceStateEnd);
    out.uint32(this.#flags);
    attributes.text(this.#nameStart, this.#nameEnd);
    out.uint8(this.#kind < spanKinds.length ? this.#kind : 0);
    out.uint32(this.#startLow);
    out.uint32(this.#startHigh);
    const startLow = this.#startLow >>> 0;
    const endLow = this.#endLow >>> 0;
    out.uint32(endLow - startLow);
    out.uint32(this.#endHigh - this.#startHigh - (endLow < startLow ? 1 : 0));
    out.uint8(this.#statusCode < statusCodes.length ? this.#statusCode : 0);
    attributes.text(this.#statusStart, this.#statusEnd);
    attributes.list(this.#attributes);
    out.uint32(this.#droppedAttributes);
    this.#writeEvents();
    out.uint32(this.#droppedEvents);
    this.#writeLinks();
    out.uint32(this.#droppedLinks);
    // No warnings.
    out.uint8(0);
  }

  #writeEvents(): void {
    const events = this.#events;
    this.#out.varint(events.count);
    for (let index = 0; index < events.count; index++)
      this.#writeEvent(events.start(index), events.end(index));
  }

  #writeEvent(start: number, end: number): void {
    const cursor = this.#cursor;
    const out = this.#out;
    this.#innerAttributes.clear();
    let timeLow = 0;
    let timeHigh = 0;
    let nameStart = 0;
    let nameEnd = 0;
    let dropped = 0;
    cursor.position = start;
    while (cursor.position < end) {
      const tag = cursor.tag(end);
      switch (tag) {
        case 9:
          cursor.fixed64(end);
          timeLow = cursor.low;
          timeHigh = cursor.high;
          break;
        case 18:
          nameEnd = cursor.fieldEnd(end);
          nameStart = cursor.position;
          cursor.position = nameEnd;
          break;
        case 26:
          this.#item(this.#innerAttributes, end);
          break;
        case 32:
          dropped = cursor.uint32(end);
          break;
        default:
          cursor.skip(tag, end);
      }
    }
    out.uint32(timeLow);
    out.uint32(timeHigh);
    this.#attributeTranscoder.text(nameStart, nameEnd);
    this.#attributeTranscoder.list(this.#innerAttributes);
    out.uint32(dropped);
  }

  #writeLinks(): void {
    const links = this.#links;
    this.#out.varint(links.count);
    for (let index = 0; index < links.count; index++) this.#writeLink(links.start(index), links.end(index));
  }

  #writeLink(start: number, end: number): void {
    const cursor = this.#cursor;
    const out = this.#out;
    this.#innerAttributes.clear();
    let traceId = -1;
    let spanId = -1;
    let stateStart = 0;
    let stateEnd = 0;
    let dropped = 0;
    let flags = 0;
    cursor.position = start;
    while (cursor.position < end) {
      const tag = cursor.tag(end);
      switch (tag) {
        case 10:
          traceId = this.#id(end, 16, "trace id of a link");
          break;
        case 18:
          spanId = this.#id(end, 8, "span id of a link");
          break;
        case 26:
          stateEnd = cursor.fieldEnd(end);
          stateStart = cursor.position;
          cursor.position = stateEnd;
          break;
        case 34:
          this.#item(this.#innerAttributes, end);
          break;
        case 40:
          dropped = cursor.uint32(end);
          break;
        case 53:
          flags = cursor.fixed32(end);
          break;
        default:
          cursor.skip(tag, end);
      }
    }
    this.#writeId(traceId, 16);
    this.#writeId(spanId, 8);
    this.#attributeTranscoder.text(stateStart, stateEnd);
    this.#attributeTranscoder.list(this.#innerAttributes);
    out.uint32(dropped);
    out.uint32(flags);
    // An OTLP link has no reference type.
    out.uint8(0);
  }

  #item(list: FieldList, end: number): void {
    const stop = this.#cursor.fieldEnd(end);
    list.push(this.#cursor.position, stop);
    this.#cursor.position = stop;
  }

  /** Where an id's bytes start, or -1 for an empty one. */
  #id(end: number, length: number, what: string): number {
    const stop = this.#cursor.fieldEnd(end);
    const start = this.#cursor.position;
    this.#cursor.position = stop;
    if (stop === start) return -1;
    if (stop - start !== length) {
      throw new WireError("WIRE_BAD_ID", `${what} has ${stop - start} bytes, not ${length}`);
    }
    return start;
  }

  #writeId(start: number, length: number): void {
    if (start === -1) this.#out.zeros(length);
    else this.#out.copy(this.#cursor.bytes, start, start + length);
  }

  #isZero(start: number, length: number): boolean {
    if (start === -1) return true;
    const { bytes } = this.#cursor;
    for (let index = start; index < start + length; index++) if (bytes[index] !== 0) return false;
    return true;
  }
}
