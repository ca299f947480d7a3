import { spanKinds, statusCodes } from "../model/span.ts";
import type { ByteWriter } from "../rows/byte-writer.ts";
import { AttributeTranscoder } from "./attribute-transcoder.ts";
import { EventTranscoder } from "./event-transcoder.ts";
import { FieldList } from "./field-list.ts";
import { LinkTranscoder } from "./link-transcoder.ts";
import { fieldMask, type ProtoCursor } from "./proto-cursor.ts";

const spanFields = fieldMask(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
const statusFields = fieldMask(2, 3);

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
  readonly #eventTranscoder: EventTranscoder;
  readonly #linkTranscoder: LinkTranscoder;
  readonly #attributes = new FieldList();
  readonly #events = new FieldList();
  readonly #links = new FieldList();

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
    this.#eventTranscoder = new EventTranscoder(cursor, out, this.#attributeTranscoder);
    this.#linkTranscoder = new LinkTranscoder(cursor, out, this.#attributeTranscoder);
  }

  /**
   * Finds the fields of the span from the cursor's position to `end`.
   * @returns "" or, for a span that must be rejected, what it has ("an empty trace id")
   * @throws WireError for bytes that are no span; WIRE_BAD_ID for an id of a wrong length
   */
  scan(end: number): string {
    this.#clear();
    this.#scanFields(end);
    if (this.#isZero(this.#traceId, 16)) return "an empty trace id";
    if (this.#isZero(this.#spanId, 8)) return "an empty span id";
    return "";
  }

  /**
   * Writes the columns of the span just scanned; the cursor stands elsewhere then.
   * @throws WireError for what is wrong inside attributes, events and links
   */
  write(): void {
    const cursor = this.#cursor;
    const out = this.#out;
    const attributes = this.#attributeTranscoder;
    out.id(cursor.view, this.#traceId, 16);
    out.id(cursor.view, this.#spanId, 8);
    out.id(cursor.view, this.#parentSpanId, 8);
    attributes.text(this.#traceStateStart, this.#traceStateEnd);
    out.uint32(this.#flags);
    attributes.text(this.#nameStart, this.#nameEnd);
    this.#writeTimes();
    attributes.text(this.#statusStart, this.#statusEnd);
    attributes.list(this.#attributes);
    out.uint32(this.#droppedAttributes);
    this.#eventTranscoder.list(this.#events);
    out.uint32(this.#droppedEvents);
    this.#linkTranscoder.list(this.#links);
    out.uint32(this.#droppedLinks);
    // No warnings.
    out.uint8(0);
  }

  /** Columns `kind` to `status_code`: with one look at the room for them. */
  #writeTimes(): void {
    const out = this.#out;
    out.reserve(18);
    const { buffer, view, length } = out;
    const startLow = this.#startLow >>> 0;
    const endLow = this.#endLow >>> 0;
    buffer[length] = this.#kind < spanKinds.length ? this.#kind : 0;
    view.setUint32(length + 1, startLow, true);
    view.setUint32(length + 5, this.#startHigh, true);
    view.setUint32(length + 9, endLow - startLow, true);
    view.setUint32(length + 13, this.#endHigh - this.#startHigh - (endLow < startLow ? 1 : 0), true);
    buffer[length + 17] = this.#statusCode < statusCodes.length ? this.#statusCode : 0;
    out.length = length + 18;
  }

  /** Whether the span just scanned has no parent. */
  get isRoot(): boolean {
    return this.#isZero(this.#parentSpanId, 8);
  }

  /** Flags of the span just scanned. */
  get flags(): number {
    return this.#flags;
  }

  /** Name of the span just scanned. */
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

  #scanFields(end: number): void {
    const cursor = this.#cursor;
    while (cursor.position < end) {
      const tag = cursor.tag(end);
      switch (tag) {
        case 10:
          this.#traceId = cursor.idStart(end, 16, "trace id");
          break;
        case 18:
          this.#spanId = cursor.idStart(end, 8, "span id");
          break;
        case 26:
          this.#traceStateEnd = cursor.fieldEnd(end);
          this.#traceStateStart = cursor.position;
          cursor.position = this.#traceStateEnd;
          break;
        case 34:
          this.#parentSpanId = cursor.idStart(end, 8, "parent span id");
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
          this.#attributes.add(cursor, end);
          break;
        case 80:
          this.#droppedAttributes = cursor.uint32(end);
          break;
        case 90:
          this.#events.add(cursor, end);
          break;
        case 96:
          this.#droppedEvents = cursor.uint32(end);
          break;
        case 106:
          this.#links.add(cursor, end);
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
          cursor.skip(tag, end, spanFields);
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
        cursor.skip(tag, end, statusFields);
      }
    }
  }

  #isZero(start: number, length: number): boolean {
    if (start === -1) return true;
    const { bytes } = this.#cursor;
    for (let index = start; index < start + length; index++) if (bytes[index] !== 0) return false;
    return true;
  }
}
