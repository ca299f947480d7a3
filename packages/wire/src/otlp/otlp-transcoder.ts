import { ByteWriter } from "../rows/byte-writer.ts";
import type { MessageTranscoder, TranscodeResult, TranscoderOptions } from "../rows/message-transcoder.ts";
import { RejectedSpans } from "../rows/rejected-spans.ts";
import { RowPrefixes } from "../rows/row-prefixes.ts";
import type { ServiceTally } from "../rows/service-tally.ts";
import { PrefixTranscoder } from "./prefix-transcoder.ts";
import { fieldMask, ProtoCursor } from "./proto-cursor.ts";
import { SpanTranscoder } from "./span-transcoder.ts";

const requestFields = fieldMask(1);
/** Bit in a span's flags: the sender wants to keep the span regardless of sampling. */
const debugFlag = 2;
const scopeSpansTag = (2 << 3) | 2;
/**
 * Field 1000, the place of `instrumentation_library_spans` in OTLP 0.15 to 0.19. Its messages have the form of
 * `ScopeSpans`, and count only if the resource has no `ScopeSpans`. Before 0.15 the field had number 2, which is now
 * `scope_spans`.
 */
const librarySpansTag = (1000 << 3) | 2;

/**
 * Converts OTLP protobuf to rows in one pass, without an object for each span. Most received spans are converted by
 * this code.
 *
 * Bytes are read by protobuf's rules. Fields may have any order, and unknown fields are skipped. The last occurrence of
 * a singular field counts; repeated occurrences of a singular message are merged. Bytes that are not UTF-8 become
 * U+FFFD, because senders cut texts in the middle of a character. Groups, and known fields with a wrong wire type, make
 * the request invalid. An invalid span is rejected without affecting the other spans.
 *
 * A transcoder handles one request at a time and reuses its buffers. Source: opentelemetry-proto 1.x,
 * trace/v1/trace.proto; protobuf.dev, "Encoding".
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
  /** Service of the present resource. */
  #service: ServiceTally | undefined;
  /** True when a row with the present prefix was written. */
  #isPrefixWritten = false;
  /** Fault of the current resource or scope; if there is a fault, all spans of the group are rejected. */
  #groupProblem: unknown;
  // Position of the present span in the request, for error messages.
  #resourceIndex = 0;
  #scopeIndex = 0;
  #spanIndex = 0;

  constructor(options: TranscoderOptions = {}) {
    this.#out = new ByteWriter(options.maxRowsBytes);
    this.#prefixes = new RowPrefixes(this.#out, options.maxRowsBytes);
    this.#prefix = new PrefixTranscoder(this.#cursor, options.maxRowsBytes);
    this.#spans = new SpanTranscoder(this.#cursor, this.#out);
  }

  /**
   * @param request an `ExportTraceServiceRequest` or `TracesData` message; the caller limits its size
   * @param tenant owner of the spans; "" when tenancy is off
   * @throws WireError for an invalid request; then no span of the request is kept. WIRE_TRUNCATED or WIRE_MALFORMED for
   * bytes that are no such message, or in which no span is readable; WIRE_TOO_LARGE if not even one span fits into
   * `maxRowsBytes`
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
    this.#resourceIndex = 0;
    const end = request.length;
    while (cursor.position < end) {
      const tag = cursor.tag(end);
      if (tag === 10) {
        this.#resourceSpans(cursor.fieldEnd(end));
        this.#resourceIndex++;
      } else {
        cursor.skip(tag, end, requestFields);
      }
    }
    this.#rejected.refuseUnreadable(this.#count);
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

  /**
   * Writes the rows of a `ResourceSpans`. The message is read first for the resource, and then for its groups of spans,
   * because the resource may be after the groups. If the resource is faulty, only the spans of this resource are lost.
   */
  #resourceSpans(end: number): void {
    const cursor = this.#cursor;
    const start = cursor.position;
    const { count: rejectedBefore } = this.#rejected;
    let problem: unknown;
    try {
      this.#prefix.resource(end, this.#tenant);
    } catch (error) {
      problem = error;
    }
    this.#service = undefined;
    this.#scopeIndex = 0;
    cursor.position = start;
    try {
      const hasLibraries = this.#groups(scopeSpansTag, end, problem);
      if (hasLibraries && this.#scopeIndex === 0) {
        cursor.position = start;
        this.#groups(librarySpansTag, end, problem);
      }
    } catch (error) {
      throw problem ?? error;
    }
    // If no span was rejected for this reason, the whole request is.
    if (problem !== undefined && this.#rejected.count === rejectedBefore) {
      throw problem;
    }
  }

  /** Reads the groups of spans in one field. @returns true when the old field also has groups */
  #groups(wanted: number, end: number, problem: unknown): boolean {
    const cursor = this.#cursor;
    let hasLibraries = false;
    while (cursor.position < end) {
      const tag = cursor.tag(end);
      hasLibraries ||= tag === librarySpansTag;
      if (tag === wanted) {
        this.#scopeSpans(cursor.fieldEnd(end), problem);
        this.#scopeIndex++;
      }
      // The wire types were checked while reading the prefix.
      else {
        cursor.skip(tag, end, 0);
      }
    }
    return hasLibraries;
  }

  /** @param resourceProblem why the resource cannot be read; undefined for a valid resource */
  #scopeSpans(end: number, resourceProblem: unknown): void {
    const cursor = this.#cursor;
    const start = cursor.position;
    const { count: rejectedBefore } = this.#rejected;
    this.#groupProblem = resourceProblem;
    try {
      this.#prefix.scope(end);
    } catch (error) {
      this.#groupProblem ??= error;
    }
    this.#spans.hasCutPrefix = this.#prefix.isCut;
    this.#isPrefixWritten = false;
    this.#spanIndex = 0;
    cursor.position = start;
    try {
      while (cursor.position < end) {
        const tag = cursor.tag(end);
        if (tag === 18) {
          this.#span(cursor.fieldEnd(end));
          this.#spanIndex++;
        } else {
          cursor.skip(tag, end, 0);
        }
      }
    } catch (error) {
      throw this.#groupProblem ?? error;
    }
    if (this.#groupProblem !== undefined && this.#rejected.count === rejectedBefore) {
      throw this.#groupProblem;
    }
  }

  /** Writes a row. If the span is invalid, the row is removed, and the span counts as rejected. */
  #span(end: number): void {
    const cursor = this.#cursor;
    const rowAt = this.#out.length;
    const spans = this.#spans;
    try {
      const problem = this.#groupProblem ?? spans.scan(end);
      if (problem === "") {
        if (this.#isPrefixWritten) {
          this.#prefixes.again();
        } else {
          this.#writePrefix();
        }
        const traceIdAt = this.#out.length;
        spans.write();
        this.#count++;
        const service = this.#tallyOf((spans.flags & debugFlag) !== 0);
        service.spans++;
        if (spans.isRoot) {
          service.rootsAt.push(traceIdAt);
        }
      } else {
        this.#reject(problem);
      }
    } catch (error) {
      // The prefix may have been part of the removed row, so the next row must have it.
      this.#prefixes.takeBack(rowAt);
      this.#isPrefixWritten = false;
      this.#reject(error);
    }
    cursor.position = end;
  }

  #reject(problem: unknown): void {
    const place = () =>
      `resourceSpans[${this.#resourceIndex}].scopeSpans[${this.#scopeIndex}].spans[${this.#spanIndex}]`;
    // Spans of a faulty group are not read, so their names are unknown.
    this.#rejected.add(this.#groupProblem === undefined ? this.#spans.name : "", place, problem);
  }

  /**
   * Writes the columns that all rows of the group share. The next rows of the group have a mark instead of these
   * columns: see `RowPrefixes`.
   */
  #writePrefix(): void {
    const out = this.#out;
    const { resourceView, scopeView } = this.#prefix;
    const start = out.length;
    out.words(resourceView, 0, resourceView.byteLength);
    out.words(scopeView, 0, scopeView.byteLength);
    this.#prefixes.written(start);
    this.#isPrefixWritten = true;
  }

  /**
   * The counter of the current service, which the caller must increase. @param debug true: the separate counter for
   * debug spans
   */
  #tallyOf(debug: boolean): ServiceTally {
    if (this.#service?.debug === debug) {
      return this.#service;
    }
    const service = { service: this.#prefix.service, debug, spans: 0, rootsAt: [] };
    this.#tally.push(service);
    this.#service = service;
    return service;
  }
}
