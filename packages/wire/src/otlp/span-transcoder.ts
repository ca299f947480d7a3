import { WireError } from "../errors.ts";
import { spanKinds, statusCodes } from "../model/span.ts";
import type { ByteWriter } from "../rows/byte-writer.ts";
import { cutValuesWarning, SpanMends } from "../rows/span-mends.ts";
import { AttributeTranscoder } from "./attribute-transcoder.ts";
import { EventTranscoder } from "./event-transcoder.ts";
import { FieldList } from "./field-list.ts";
import { LinkTranscoder } from "./link-transcoder.ts";
import { fieldMask, type ProtoCursor } from "./proto-cursor.ts";

const spanFields = fieldMask(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
/** Fields `message` and `code`. Field 1 is reserved in OTLP: it was an older status code, and is skipped. */
const statusFields = fieldMask(2, 3);

/**
 * Converts an OTLP `Span` message to the columns `trace_id` to `warnings`. It first finds the fields, in any order; if
 * a singular field is repeated, the last one counts. Then it writes them in the order of the columns.
 *
 * A kind or status code that OTLP does not define is stored as 0 (`unspecified`, `unset`). Other faults are mended,
 * with a warning on the span. A trace id of 8 bytes becomes the low half of a trace id. A parent's or link's id of a
 * wrong length is dropped, and values that are nested too deeply are cut.
 *
 * Use: `scan` finds the fields of a span, then the caller may read `name` or `flags`, and `write` writes the row. All
 * fields are positions in the request (`…Start`, `…End`) or plain numbers, so that no object is made for a span.
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
  readonly #mends = new SpanMends();
  /** True when values of the spans' resource or scope were cut. */
  hasCutPrefix = false;

  // Positions of the ids' first bytes; -1 for a missing id, and for an id of a wrong length.
  #traceId = -1;
  // Length of a trace id whose length is wrong; the next field is the position of its end.
  #traceIdBytes = 0;
  #traceIdEnd = 0;
  #spanIdBytes = 0;
  #hasShortTraceId = false;
  #spanId = -1;
  #parentSpanId = -1;
  // Positions of texts; both ends are 0 for an absent text.
  #traceStateStart = 0;
  #traceStateEnd = 0;
  #nameStart = 0;
  #nameEnd = 0;
  #kind = 0;
  // Times as low and high 32 bits; each may be a signed or unsigned number.
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
    this.#linkTranscoder = new LinkTranscoder(cursor, out, this.#attributeTranscoder, this.#mends);
  }

  /**
   * Finds the fields of the span from the cursor's position to `end`.
   * @returns "", or the reason to reject the span ("empty trace id")
   * @throws WireError for bytes that are no span; WIRE_BAD_ID for a trace or span id of a wrong length
   */
  scan(end: number): string {
    this.#clear();
    this.#scanFields(end);
    if (this.#traceId === -1 && this.#traceIdBytes > 0) {
      this.#takeShortTraceId();
    }
    if (this.#spanId === -1 && this.#spanIdBytes > 0) {
      throw badId("span id", this.#spanIdBytes, 8);
    }
    if (this.#isZero(this.#traceId, this.#hasShortTraceId ? 8 : 16)) {
      return "empty trace id";
    }
    if (this.#isZero(this.#spanId, 8)) {
      return "empty span id";
    }
    return "";
  }

  /** Records length and end of a trace id without 16 bytes. If a valid trace id follows, it replaces this one. */
  #noteOddTraceId(): void {
    this.#traceIdBytes = this.#cursor.idBytes;
    this.#traceIdEnd = this.#cursor.position;
  }

  /** Senders with 64-bit ids send only the low half of a trace id. */
  #takeShortTraceId(): void {
    if (this.#traceIdBytes !== 8) {
      throw badId("trace id", this.#traceIdBytes, 16);
    }
    this.#traceId = this.#traceIdEnd - 8;
    this.#hasShortTraceId = true;
    this.#mends.add("trace id has 8 bytes, not 16: taken as its low half");
  }

  /**
   * Writes the columns of the last scanned span. It moves the cursor to other parts of the message.
   * @throws WireError for faults inside attributes, events and links
   */
  write(): void {
    const cursor = this.#cursor;
    const out = this.#out;
    const attributes = this.#attributeTranscoder;
    if (this.#hasShortTraceId) {
      out.zeros(8);
    }
    out.id(cursor.view, this.#traceId, this.#hasShortTraceId ? 8 : 16);
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
    if (this.hasCutPrefix || cursor.cutValues > 0) {
      this.#mends.add(cutValuesWarning);
    }
    out.uint8(this.#mends.count);
    if (this.#mends.count > 0) {
      this.#mends.write(out);
    }
  }

  /** Writes the columns `kind` to `status_code`, with a single check of the buffer's size. */
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

  /** True when the last scanned span has no parent. */
  get isRoot(): boolean {
    return this.#isZero(this.#parentSpanId, 8);
  }

  /** Flags of the last scanned span. */
  get flags(): number {
    return this.#flags;
  }

  /** Name of the last scanned span; empty if the scan failed before it reached the name. */
  get name(): string {
    return this.#cursor.bytes.toString("utf8", this.#nameStart, this.#nameEnd);
  }

  /** Clears the fields of the previous span. Otherwise, positions of missing fields would point into another span. */
  #clear(): void {
    this.#attributes.clear();
    this.#events.clear();
    this.#links.clear();
    this.#mends.clear();
    this.#cursor.cutValues = 0;
    this.#traceId = -1;
    this.#traceIdBytes = 0;
    this.#spanIdBytes = 0;
    this.#hasShortTraceId = false;
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

  /**
   * Records the positions of the fields. A tag is `field number * 8 + wire type`; for wire type 2, a length precedes
   * the bytes.
   *
   * | Tag | Field | Tag | Field | Tag | Field |
   * |---|---|---|---|---|---|
   * | 10 | trace id | 48 | kind | 96 | dropped events |
   * | 18 | span id | 57 | start, `fixed64` | 106 | a link |
   * | 26 | trace state | 65 | end, `fixed64` | 112 | dropped links |
   * | 34 | parent span id | 74 | an attribute | 122 | status |
   * | 42 | name | 80 | dropped attributes | 133 | flags, `fixed32` |
   * | | | 90 | an event | | |
   */
  #scanFields(end: number): void {
    const cursor = this.#cursor;
    while (cursor.position < end) {
      const tag = cursor.tag(end);
      switch (tag) {
        case 10:
          this.#traceId = cursor.idStart(end, 16);
          if (this.#traceId === -1) {
            this.#noteOddTraceId();
          }
          break;
        case 18:
          this.#spanId = cursor.idStart(end, 8);
          if (this.#spanId === -1) {
            this.#spanIdBytes = cursor.idBytes;
          }
          break;
        case 34:
          this.#parentSpanId = cursor.idStart(end, 8);
          if (this.#parentSpanId === -1 && cursor.idBytes > 0) {
            this.#mends.add(`parent span id was dropped: it has ${cursor.idBytes} bytes, not 8`);
          }
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
        case 90:
          this.#events.add(cursor, end);
          break;
        case 122:
          this.#scanStatus(cursor.fieldEnd(end));
          break;
        case 133:
          this.#flags = cursor.fixed32(end);
          break;
        default:
          this.#scanRareField(tag, end);
      }
    }
  }

  /** The fields that most spans lack. */
  #scanRareField(tag: number, end: number): void {
    const cursor = this.#cursor;
    switch (tag) {
      case 26:
        this.#traceStateEnd = cursor.fieldEnd(end);
        this.#traceStateStart = cursor.position;
        cursor.position = this.#traceStateEnd;
        break;
      case 80:
        this.#droppedAttributes = cursor.uint32(end);
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
      default:
        cursor.skip(tag, end, spanFields);
    }
  }

  /**
   * Records the message (tag 18) and the code (24). If the status is repeated, its occurrences are merged, as protobuf
   * requires.
   */
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

  /** True for an id that is missing or all zeros. @param start -1 for a missing id */
  #isZero(start: number, length: number): boolean {
    if (start === -1) {
      return true;
    }
    const { bytes } = this.#cursor;
    for (let index = start; index < start + length; index++) {
      if (bytes[index] !== 0) {
        return false;
      }
    }
    return true;
  }
}

function badId(what: string, length: number, wanted: number): WireError {
  return new WireError("WIRE_BAD_ID", `${what} has ${length} bytes, not ${wanted}`);
}
