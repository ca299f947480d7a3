import { WireError } from "../errors.ts";
import { spanKinds } from "../model/span.ts";
import { fieldMask, ProtoCursor } from "../otlp/proto-cursor.ts";
import type { MessageTranscoder, TranscodeResult, TranscoderOptions } from "../rows/message-transcoder.ts";
import { RejectedSpans } from "../rows/rejected-spans.ts";
import { ipText } from "./ip-text.ts";
import { type EndpointDraft, SpanDraft } from "./span-draft.ts";
import { SpanDraftWriter } from "./span-draft-writer.ts";

const listFields = fieldMask(1);
const spanFields = fieldMask(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13);
const endpointFields = fieldMask(1, 2, 3, 4);
const annotationFields = fieldMask(1, 2);
const tagFields = fieldMask(1, 2);

/** Index in `spanKinds` of each number of `Span.Kind`. */
const kinds = [
  0,
  spanKinds.indexOf("client"),
  spanKinds.indexOf("server"),
  spanKinds.indexOf("producer"),
  spanKinds.indexOf("consumer"),
];

/**
 * Converts Zipkin v2 protobuf, a `ListOfSpans`, to rows, without an object for each span. A trace id has 16 bytes, or 8
 * bytes for its low half; a parent id of zeros means that there is no parent. Fields may have any order, and unknown
 * fields are skipped. A known field with a wrong wire type is refused. Repeated endpoints are merged. A parent id of a
 * wrong length or an address of more than 16 bytes is dropped, and the span gets a warning. An invalid span is
 * rejected, and the other spans are kept.
 *
 * Source: openzipkin/zipkin-api zipkin.proto; for refusals and their texts, zipkin-go 0.4.3.
 */
export class ZipkinV2ProtoTranscoder implements MessageTranscoder {
  readonly #cursor = new ProtoCursor();
  readonly #draft = new SpanDraft();
  readonly #writer: SpanDraftWriter;

  constructor(options: TranscoderOptions = {}) {
    this.#writer = new SpanDraftWriter(options.maxRowsBytes);
  }

  /**
   * @param message a `zipkin.proto3.ListOfSpans`; the caller limits its size
   * @param tenant owner of the spans; "" when tenancy is off
   * @throws WireError; then no span of the message is kept. WIRE_TRUNCATED, WIRE_MALFORMED for bytes that are not such
   * a message; the error of the first span when all spans are rejected
   */
  transcode(message: Uint8Array, tenant = ""): TranscodeResult {
    const cursor = this.#cursor;
    cursor.open(message);
    this.#draft.open(message);
    this.#writer.open();
    let count = 0;
    const rejected = new RejectedSpans();
    const end = message.length;
    while (cursor.position < end) {
      const tag = cursor.tag(end);
      if (tag !== 10) {
        cursor.skip(tag, end, listFields);
        continue;
      }
      const spanEnd = cursor.fieldEnd(end);
      try {
        this.#readSpan(spanEnd);
        this.#writer.write(this.#draft, tenant);
        count++;
      } catch (error) {
        const index = count + rejected.count;
        rejected.add(this.#draft.name, () => `spans[${index}]`, error);
      }
      cursor.position = spanEnd;
    }
    rejected.refuseNothing(count);
    return {
      rows: this.#writer.rows(count),
      rejectedSpans: rejected.count,
      errorMessage: rejected.errorMessage,
    };
  }

  /**
   * Reads a span into the draft.
   *
   * | Tag | Field | Tag | Field |
   * |---|---|---|---|
   * | 10 | trace id | 66 | local endpoint |
   * | 18 | parent id | 74 | remote endpoint |
   * | 26 | id | 82 | an annotation |
   * | 32 | kind | 90 | a tag, as an entry of a map |
   * | 42 | name | 96 | debug |
   * | 49 | timestamp in µs, `fixed64` | 104 | shared |
   * | 56 | duration in µs, varint | | |
   */
  #readSpan(end: number): void {
    const draft = this.#draft;
    const cursor = this.#cursor;
    draft.clear();
    // A time of zero counts as a time, as in Jaeger.
    draft.hasTimestamp = true;
    let traceIdBytes = 0;
    let spanIdBytes = 0;
    while (cursor.position < end) {
      const tag = cursor.tag(end);
      switch (tag) {
        case 10:
          traceIdBytes = this.#traceId(end);
          break;
        case 18:
          this.#parentId(end);
          break;
        case 26:
          spanIdBytes = this.#spanId(end);
          break;
        case 32:
          draft.kind = kinds[cursor.uint32(end)] ?? 0;
          break;
        case 42:
          draft.nameEnd = this.#textEnd(end);
          draft.nameStart = this.#textStart;
          break;
        case 49:
          cursor.fixed64(end);
          draft.timestampLow = cursor.low;
          draft.timestampHigh = cursor.high;
          break;
        case 56:
          cursor.varint(end);
          draft.durationLow = cursor.low;
          draft.durationHigh = cursor.high;
          break;
        case 66:
          this.#readEndpoint(cursor.fieldEnd(end), draft.local);
          break;
        case 74:
          this.#readEndpoint(cursor.fieldEnd(end), draft.remote);
          break;
        case 82:
          this.#readAnnotation(cursor.fieldEnd(end));
          break;
        case 90:
          this.#readTag(cursor.fieldEnd(end));
          break;
        case 96:
        case 104:
          // Skips debug and shared, which are not stored.
          cursor.varint(end);
          break;
        default:
          cursor.skip(tag, end, spanFields);
      }
    }
    this.#checkIds(traceIdBytes, spanIdBytes);
  }

  /** @throws WireError WIRE_BAD_ID for an id that is absent or zero, with Jaeger's texts */
  #checkIds(traceIdBytes: number, spanIdBytes: number): void {
    if (traceIdBytes === 0) {
      throw new WireError("WIRE_BAD_ID", "invalid TraceID: has length 0 yet wanted length 16");
    }
    if (!this.#draft.hasTraceId) {
      throw new WireError("WIRE_BAD_ID", "valid traceId required");
    }
    if (spanIdBytes === 0) {
      throw new WireError("WIRE_BAD_ID", "expected a non-nil SpanID");
    }
    if (!this.#draft.hasSpanId) {
      throw new WireError("WIRE_BAD_ID", "valid span id required");
    }
  }

  /** Reads a trace id of 16 bytes, or of 8 bytes for its low half. @returns length of the id; 0 when it is empty */
  #traceId(end: number): number {
    const cursor = this.#cursor;
    const stop = cursor.fieldEnd(end);
    const length = stop - cursor.position;
    if (length !== 16 && length !== 8 && length !== 0) {
      throw new WireError("WIRE_BAD_ID", `invalid TraceID: has length ${length} yet wanted length 16`);
    }
    this.#draft.ids.fill(0, 0, 16);
    this.#draft.ids.set(cursor.bytes.subarray(cursor.position, stop), 16 - length);
    cursor.position = stop;
    return length;
  }

  /** @returns length of the id; 0 when it is empty */
  #spanId(end: number): number {
    const cursor = this.#cursor;
    const stop = cursor.fieldEnd(end);
    const length = stop - cursor.position;
    if (length !== 8 && length !== 0) {
      throw new WireError("WIRE_BAD_ID", `invalid SpanID: has length ${length} yet wanted length 8`);
    }
    const { ids } = this.#draft;
    if (length === 0) {
      ids.fill(0, 16, 24);
    } else {
      ids.set(cursor.bytes.subarray(cursor.position, stop), 16);
    }
    cursor.position = stop;
    return length;
  }

  /**
   * Reads a parent id of 8 bytes; an id of another length is dropped, and a span whose id was not empty gets a warning.
   */
  #parentId(end: number): void {
    const cursor = this.#cursor;
    const stop = cursor.fieldEnd(end);
    const start = cursor.position;
    cursor.position = stop;
    const { ids, mends } = this.#draft;
    if (stop - start === 8) {
      ids.set(cursor.bytes.subarray(start, stop), 24);
    } else {
      ids.fill(0, 24, 32);
    }
    if (stop - start !== 8 && stop !== start) {
      mends.add(`parent span id was dropped: it has ${stop - start} bytes, not 8`);
    }
  }

  /** Second result of `#textEnd`; a field, so that no object is created for each span. */
  #textStart = 0;

  /**
   * Skips a string and sets `#textStart` to its start in the draft's bytes. @returns end of the string in the draft's
   * bytes
   */
  #textEnd(end: number): number {
    const cursor = this.#cursor;
    const stop = cursor.fieldEnd(end);
    const start = cursor.position;
    cursor.position = stop;
    this.#textStart = start;
    if (cursor.isText(start, stop)) {
      return stop;
    }
    this.#textStart = this.#draft.mendText(start, stop);
    return this.#draft.mendedEnd;
  }

  /**
   * Reads service name (tag 10), IPv4 (18), IPv6 (26) and port (32). When an endpoint is repeated, its fields are
   * merged into the first one.
   */
  #readEndpoint(end: number, endpoint: EndpointDraft): void {
    const cursor = this.#cursor;
    while (cursor.position < end) {
      const tag = cursor.tag(end);
      switch (tag) {
        case 10:
          endpoint.serviceEnd = this.#textEnd(end);
          endpoint.serviceStart = this.#textStart;
          break;
        case 18:
          endpoint.ipv4 = this.#ip(end);
          break;
        case 26:
          endpoint.ipv6 = this.#ip(end);
          break;
        case 32:
          // A port has 16 bits; higher bits are dropped, as in Jaeger.
          endpoint.port = cursor.uint32(end) & 0xffff;
          break;
        default:
          cursor.skip(tag, end, endpointFields);
      }
    }
  }

  /** Reads an address as text; "" for an address that is absent or dropped. */
  #ip(end: number): string {
    const cursor = this.#cursor;
    const stop = cursor.fieldEnd(end);
    const bytes = cursor.bytes.subarray(cursor.position, stop);
    cursor.position = stop;
    if (bytes.length > 16) {
      this.#draft.mends.add(`address of an endpoint was dropped: it has ${bytes.length} bytes, not 4 or 16`);
      return "";
    }
    return bytes.length === 0 ? "" : ipText(bytes);
  }

  /** Reads time in µs (tag 9, `fixed64`) and text (18). */
  #readAnnotation(end: number): void {
    const cursor = this.#cursor;
    let low = 0;
    let high = 0;
    let start = 0;
    let stop = 0;
    while (cursor.position < end) {
      const tag = cursor.tag(end);
      if (tag === 9) {
        cursor.fixed64(end);
        low = cursor.low;
        high = cursor.high;
      } else if (tag === 18) {
        stop = this.#textEnd(end);
        start = this.#textStart;
      } else {
        cursor.skip(tag, end, annotationFields);
      }
    }
    this.#draft.addAnnotation(low, high, start, stop);
  }

  /** Reads an entry of the map: key (tag 10) and value (18). */
  #readTag(end: number): void {
    const cursor = this.#cursor;
    let keyStart = 0;
    let keyEnd = 0;
    let valueStart = 0;
    let valueEnd = 0;
    while (cursor.position < end) {
      const tag = cursor.tag(end);
      if (tag === 10) {
        keyEnd = this.#textEnd(end);
        keyStart = this.#textStart;
      } else if (tag === 18) {
        valueEnd = this.#textEnd(end);
        valueStart = this.#textStart;
      } else {
        cursor.skip(tag, end, tagFields);
      }
    }
    this.#draft.tags.add(keyStart, keyEnd, valueStart, valueEnd);
  }
}
