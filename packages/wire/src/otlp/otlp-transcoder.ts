import { ByteWriter } from "../rows/byte-writer.ts";
import type { MessageTranscoder, TranscodeResult, TranscoderOptions } from "../rows/message-transcoder.ts";
import { RejectedSpans } from "../rows/rejected-spans.ts";
import { RowPrefixes } from "../rows/row-prefixes.ts";
import type { ServiceTally } from "../rows/service-tally.ts";
import { PrefixTranscoder } from "./prefix-transcoder.ts";
import { fieldMask, ProtoCursor } from "./proto-cursor.ts";
import { SpanTranscoder } from "./span-transcoder.ts";

const requestFields = fieldMask(1);
const debugFlag = 2;

/**
 * Turns OTLP protobuf into rows in one pass, without an object per span: the hot way into the store.
 *
 * The bytes are read by protobuf's rules: fields in any order, unknown fields skipped, the last occurrence of a
 * singular field counts, repeated occurrences of a singular message are merged. Strings must be UTF-8. A known field
 * of another wire type than its own and groups are refused.
 *
 * One transcoder handles one request at a time and keeps its buffers for the next.
 * Source: opentelemetry-proto 1.x, trace/v1/trace.proto; protobuf.dev, "Encoding".
 */
export class OtlpTranscoder implements MessageTranscoder {
  readonly #cursor = new ProtoCursor();
  readonly #out: ByteWriter;
  readonly #prefixes: RowPrefixes;
  readonly #prefix: PrefixTranscoder;
  readonly #spans: SpanTranscoder;
  #rejected = new RejectedSpans();
  #tenant = "";
  #count = 0;
  #tally: ServiceTally[] = [];
  /** Of the resource at hand. */
  #service: ServiceTally | undefined;
  /** Whether rows have begun with the prefix of the resource and scope at hand. */
  #isPrefixWritten = false;

  constructor(options: TranscoderOptions = {}) {
    this.#out = new ByteWriter(options.maxRowsBytes);
    this.#prefixes = new RowPrefixes(this.#out, options.maxRowsBytes);
    this.#prefix = new PrefixTranscoder(this.#cursor, options.maxRowsBytes);
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
    this.#prefixes.begin();
    this.#count = 0;
    this.#tally = [];
    this.#rejected = new RejectedSpans();
    const end = request.length;
    while (cursor.position < end) {
      const tag = cursor.tag(end);
      if (tag === 10) this.#resourceSpans(cursor.fieldEnd(end));
      else cursor.skip(tag, end, requestFields);
    }
    return {
      rows: {
        bytes: this.#out.bytes,
        count: this.#count,
        plainBytes: this.#prefixes.plainBytes,
        tally: this.#tally,
      },
      rejectedSpans: this.#rejected.count,
      errorMessage: this.#rejected.errorMessage,
    };
  }

  #resourceSpans(end: number): void {
    const cursor = this.#cursor;
    const start = cursor.position;
    this.#prefix.resource(end, this.#tenant);
    this.#service = undefined;
    cursor.position = start;
    while (cursor.position < end) {
      const tag = cursor.tag(end);
      if (tag === 18) this.#scopeSpans(cursor.fieldEnd(end));
      // The prefix has judged the wire types.
      else cursor.skip(tag, end, 0);
    }
  }

  #scopeSpans(end: number): void {
    const cursor = this.#cursor;
    const start = cursor.position;
    this.#prefix.scope(end);
    this.#isPrefixWritten = false;
    cursor.position = start;
    while (cursor.position < end) {
      const tag = cursor.tag(end);
      if (tag === 18) this.#span(cursor.fieldEnd(end));
      else cursor.skip(tag, end, 0);
    }
  }

  #span(end: number): void {
    const out = this.#out;
    const problem = this.#spans.scan(end);
    if (problem === "") {
      if (this.#isPrefixWritten) this.#prefixes.again();
      else this.#writePrefix();
      const traceIdAt = out.length;
      this.#spans.write();
      this.#count++;
      const service = this.#tallyOf((this.#spans.flags & debugFlag) !== 0);
      service.spans++;
      if (this.#spans.isRoot) service.rootsAt.push(traceIdAt);
    } else {
      // Written to see that it is well formed, then taken back; without the prefix, whose size is the sender's choice.
      const rowStart = out.length;
      this.#spans.write();
      out.length = rowStart;
      this.#rejected.add(this.#spans.name, problem);
    }
    this.#cursor.position = end;
  }

  #writePrefix(): void {
    const out = this.#out;
    const { resourceView, scopeView } = this.#prefix;
    const start = out.length;
    out.words(resourceView, 0, resourceView.byteLength);
    out.words(scopeView, 0, scopeView.byteLength);
    this.#prefixes.written(start);
    this.#isPrefixWritten = true;
  }

  #tallyOf(debug: boolean): ServiceTally {
    if (this.#service?.debug === debug) return this.#service;
    const service = { service: this.#prefix.service, debug, spans: 0, rootsAt: [] };
    this.#tally.push(service);
    this.#service = service;
    return service;
  }
}
