import type { Attribute } from "../model/attribute.ts";
import { ByteWriter } from "../rows/byte-writer.ts";
import type { MessageTranscoder, TranscodeResult, TranscoderOptions } from "../rows/message-transcoder.ts";
import { RejectedSpans } from "../rows/rejected-spans.ts";
import { writeResource, writeScope } from "../rows/span-row-writer.ts";
import { readKeyValue } from "./any-value.ts";
import { ProtoCursor } from "./proto-cursor.ts";
import { serviceNameOf } from "./service-name.ts";
import { SpanTranscoder } from "./span-transcoder.ts";

/**
 * Turns OTLP protobuf into rows in one pass, without an object per span: the hot way into the store.
 *
 * The bytes are read by protobuf's rules: fields in any order, unknown fields skipped (also known ones of another wire
 * type), the last occurrence of a singular field counts, repeated occurrences of a singular message are merged. Strings
 * must be UTF-8. Groups are refused.
 *
 * One transcoder handles one request at a time and keeps its buffers for the next.
 * Source: opentelemetry-proto 1.x, trace/v1/trace.proto; protobuf.dev, "Encoding".
 */
export class OtlpTranscoder implements MessageTranscoder {
  readonly #cursor = new ProtoCursor();
  readonly #out: ByteWriter;
  /** Columns of the resource and scope at hand, which every row starts with. */
  readonly #prefix: ByteWriter;
  readonly #spans: SpanTranscoder;
  #rejected = new RejectedSpans();
  #tenant = "";
  #count = 0;

  constructor(options: TranscoderOptions = {}) {
    this.#out = new ByteWriter(options.maxRowsBytes);
    this.#prefix = new ByteWriter(options.maxRowsBytes);
    this.#spans = new SpanTranscoder(this.#cursor, this.#out);
  }

  /**
   * @param request an `ExportTraceServiceRequest` or `TracesData` message; the caller limits its size
   * @param tenant whose spans they are; "" where tenancy is off
   * @throws WireError and nothing is kept of the request: WIRE_TRUNCATED, WIRE_MALFORMED for bytes that are no such
   *   message; WIRE_BAD_ID for an id of a wrong length; WIRE_TOO_DEEP for a value nested past `maxAttributeDepth`;
   *   WIRE_TOO_LARGE past `maxRowsBytes`
   */
  transcode(request: Uint8Array, tenant = ""): TranscodeResult {
    this.#tenant = tenant;
    const cursor = this.#cursor;
    cursor.open(request);
    this.#out.clear();
    this.#count = 0;
    this.#rejected = new RejectedSpans();
    const end = request.length;
    while (cursor.position < end) {
      const tag = cursor.tag(end);
      if (tag === 10) this.#resourceSpans(cursor.fieldEnd(end));
      else cursor.skip(tag, end);
    }
    return {
      rows: { bytes: this.#out.bytes, count: this.#count },
      rejectedSpans: this.#rejected.count,
      errorMessage: this.#rejected.errorMessage,
    };
  }

  #resourceSpans(end: number): void {
    const cursor = this.#cursor;
    const start = cursor.position;
    const resource = { attributes: [], droppedAttributesCount: 0 };
    let schemaUrl = "";
    // The resource may stand behind its spans.
    while (cursor.position < end) {
      const tag = cursor.tag(end);
      if (tag === 10) this.#readResource(cursor.fieldEnd(end), resource);
      else if (tag === 26) schemaUrl = cursor.string(end);
      else cursor.skip(tag, end);
    }
    const serviceName = serviceNameOf(resource.attributes);
    this.#prefix.clear();
    writeResource(this.#prefix, this.#tenant, "otlp", { serviceName, ...resource, schemaUrl });
    const resourceEnd = this.#prefix.length;
    cursor.position = start;
    while (cursor.position < end) {
      const tag = cursor.tag(end);
      if (tag === 18) {
        this.#prefix.length = resourceEnd;
        this.#scopeSpans(cursor.fieldEnd(end));
      } else {
        cursor.skip(tag, end);
      }
    }
  }

  #scopeSpans(end: number): void {
    const cursor = this.#cursor;
    const start = cursor.position;
    const scope = { name: "", version: "", attributes: [], droppedAttributesCount: 0 };
    let schemaUrl = "";
    while (cursor.position < end) {
      const tag = cursor.tag(end);
      if (tag === 10) this.#readScope(cursor.fieldEnd(end), scope);
      else if (tag === 26) schemaUrl = cursor.string(end);
      else cursor.skip(tag, end);
    }
    writeScope(this.#prefix, { ...scope, schemaUrl });
    cursor.position = start;
    while (cursor.position < end) {
      const tag = cursor.tag(end);
      if (tag === 18) this.#span(cursor.fieldEnd(end));
      else cursor.skip(tag, end);
    }
  }

  #span(end: number): void {
    const out = this.#out;
    const problem = this.#spans.scan(end);
    if (problem === "") {
      out.copy(this.#prefix.buffer, 0, this.#prefix.length);
      this.#spans.write();
      this.#count++;
    } else {
      // Written to see that it is well formed, then taken back; without the prefix, whose size is the sender's choice.
      const rowStart = out.length;
      this.#spans.write();
      out.length = rowStart;
      this.#rejected.add(this.#spans.name, problem);
    }
    this.#cursor.position = end;
  }

  #readResource(end: number, into: { attributes: Attribute[]; droppedAttributesCount: number }): void {
    const cursor = this.#cursor;
    while (cursor.position < end) {
      const tag = cursor.tag(end);
      if (tag === 10) into.attributes.push(readKeyValue(cursor, cursor.fieldEnd(end)));
      else if (tag === 16) into.droppedAttributesCount = cursor.uint32(end);
      else cursor.skip(tag, end);
    }
  }

  #readScope(
    end: number,
    into: { name: string; version: string; attributes: Attribute[]; droppedAttributesCount: number },
  ): void {
    const cursor = this.#cursor;
    while (cursor.position < end) {
      const tag = cursor.tag(end);
      if (tag === 10) into.name = cursor.string(end);
      else if (tag === 18) into.version = cursor.string(end);
      else if (tag === 26) into.attributes.push(readKeyValue(cursor, cursor.fieldEnd(end)));
      else if (tag === 32) into.droppedAttributesCount = cursor.uint32(end);
      else cursor.skip(tag, end);
    }
  }
}
