import { ByteWriter } from "../rows/byte-writer.ts";
import type { MessageTranscoder, TranscodeResult, TranscoderOptions } from "../rows/message-transcoder.ts";
import { RejectedSpans } from "../rows/rejected-spans.ts";
import { RowPrefixes } from "../rows/row-prefixes.ts";
import type { ServiceTally } from "../rows/service-tally.ts";
import { PrefixTranscoder } from "./prefix-transcoder.ts";
import { fieldMask, ProtoCursor } from "./proto-cursor.ts";
import { SpanTranscoder } from "./span-transcoder.ts";

const requestFields = fieldMask(1);
/** The bit of a span's flags with which the sender asks to keep it, whatever the sampling says. */
const debugFlag = 2;
const scopeSpansTag = (2 << 3) | 2;
/**
 * Field 1000, the place of `instrumentation_library_spans` in OTLP 0.15 to 0.19. Its messages have the form of
 * `ScopeSpans`, and count only where there are no `ScopeSpans`. Before 0.15 they had the number that `scope_spans` has
 * now.
 */
const librarySpansTag = (1000 << 3) | 2;

/**
 * Turns OTLP protobuf into rows in one pass, without an object per span: the hot way into the store.
 *
 * Bytes are read by protobuf's rules. Fields may have any order, and unknown fields are skipped. The last occurrence
 * of a singular field counts; repeated occurrences of a singular message are merged. Bytes that are not UTF-8 become
 * U+FFFD, because senders cut texts in the middle of a character. Groups, and known fields with a wrong wire type,
 * are refused. A span that cannot be kept is rejected alone.
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
  /** True when a row has begun with the prefix of the present resource and scope. */
  #isPrefixWritten = false;
  /** The fault of the present resource or scope; its spans are then rejected. */
  #groupProblem: unknown;
  // Place of the present span in the request.
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
   * @throws WireError, and then nothing of the request is kept. WIRE_TRUNCATED or WIRE_MALFORMED for bytes
   *   that are no such message, and when no span can be read; WIRE_TOO_LARGE when `maxRowsBytes` has room for
   *   no span
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
   * Writes the rows of a `ResourceSpans`. The message is walked twice: for the resource, and for its groups of spans,
   * because the resource may stand behind them. A faulty resource costs its spans, not the request.
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
    // When no span could be rejected for it, the message itself is broken.
    if (problem !== undefined && this.#rejected.count === rejectedBefore) {
      throw problem;
    }
  }

  /** Reads the groups of spans in one field. @returns whether there are groups in the old one */
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
      // The prefix has judged the wire types.
      else {
        cursor.skip(tag, end, 0);
      }
    }
    return hasLibraries;
  }

  /** @param resourceProblem why its resource cannot be read */
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

  /** Writes a row, or takes back its bytes and counts the span as rejected. */
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
      // The next row gets its prefix again, because the prefix may have been removed with this row.
      this.#prefixes.takeBack(rowAt);
      this.#isPrefixWritten = false;
      this.#reject(error);
    }
    cursor.position = end;
  }

  #reject(problem: unknown): void {
    const place = () =>
      `resourceSpans[${this.#resourceIndex}].scopeSpans[${this.#scopeIndex}].spans[${this.#spanIndex}]`;
    // In a faulty group the span itself was not read.
    this.#rejected.add(this.#groupProblem === undefined ? this.#spans.name : "", place, problem);
  }

  /** Writes the columns that all rows of the group share. The next row has a mark in their place: see `RowPrefixes`. */
  #writePrefix(): void {
    const out = this.#out;
    const { resourceView, scopeView } = this.#prefix;
    const start = out.length;
    out.words(resourceView, 0, resourceView.byteLength);
    out.words(scopeView, 0, scopeView.byteLength);
    this.#prefixes.written(start);
    this.#isPrefixWritten = true;
  }

  /** The count of the present service, which the caller increases. @param debug counted apart */
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
