import { WireError } from "../errors.ts";
import { spanFormats } from "../model/span.ts";
import { FieldList } from "../otlp/field-list.ts";
import { fieldMask, ProtoCursor } from "../otlp/proto-cursor.ts";
import { ByteWriter } from "../rows/byte-writer.ts";
import { copyText } from "../rows/copy-text.ts";
import type { MessageTranscoder, TranscodeResult, TranscoderOptions } from "../rows/message-transcoder.ts";
import { RejectedSpans } from "../rows/rejected-spans.ts";
import { RowPrefixes } from "../rows/row-prefixes.ts";
import { writeScope } from "../rows/span-row-writer.ts";
import { noScope } from "./from-api-v2-batch.ts";
import { SpanTranscoder } from "./span-transcoder.ts";
import { TagTranscoder } from "./tag-transcoder.ts";

const maxSpans = 100_000;
const maxParts = 500_000;

const requestFields = fieldMask(1);
const batchFields = fieldMask(1, 2);
const processFields = fieldMask(1, 2);

export interface ApiV2TranscoderOptions extends TranscoderOptions {
  /** Format to record in the rows: "proto" (the default) for gRPC, "jaeger" for Thrift. */
  readonly format?: "proto" | "jaeger";
}

/**
 * Converts a `PostSpansRequest` to rows in one pass, without an object for each span. The rows are equal to the rows
 * that `SpanRowWriter` writes for `fromApiV2Batch`. Tags, logs and references are stored unchanged. Parent, kind and
 * status are derived from them, for searches. A span's own process replaces the process of the batch.
 *
 * Bytes are read by protobuf's rules. Fields may have any order, and unknown fields are skipped. If a singular field
 * occurs several times, the last occurrence counts; repeated occurrences of a singular message are merged. Bytes that
 * are not UTF-8 become U+FFFD, because senders of this format were never required to send UTF-8. Groups, and known
 * fields with a wrong wire type, make the request invalid. An invalid span is rejected without affecting the other
 * spans.
 *
 * A transcoder handles one request at a time and reuses its buffers. Source: Jaeger 1.62, model.proto and
 * collector.proto; protobuf.dev, "Encoding".
 */
export class ApiV2Transcoder implements MessageTranscoder {
  readonly #cursor = new ProtoCursor();
  readonly #out: ByteWriter;
  readonly #prefixes: RowPrefixes;
  readonly #format: number;
  readonly #spans: SpanTranscoder;

  /** Columns of the batch's process. The row of each span without its own process begins with them. */
  readonly #shared: Prefix;
  /** Columns of the last process inside a span. They are cached, because the next span often has an equal process. */
  readonly #own: Prefix;
  /** Prefix of the previous row; undefined when its columns have changed since. */
  #last: Prefix | undefined;
  readonly #batches = new FieldList();
  readonly #processes = new FieldList();
  #ownStart = -1;
  #ownEnd = -1;
  #tenant = "";
  #count = 0;
  #rejected = new RejectedSpans();
  #spanIndex = 0;
  /** Fault of the batch's process. With such a fault, spans without their own process are rejected. */
  #processProblem: unknown;

  constructor(options: ApiV2TranscoderOptions = {}) {
    this.#out = new ByteWriter(options.maxRowsBytes);
    this.#prefixes = new RowPrefixes(this.#out, options.maxRowsBytes);
    this.#format = spanFormats.indexOf(options.format ?? "proto");
    this.#spans = new SpanTranscoder(this.#cursor, this.#out);
    this.#shared = new Prefix(this.#cursor, options.maxRowsBytes);
    this.#own = new Prefix(this.#cursor, options.maxRowsBytes);
  }

  /**
   * @param request a `PostSpansRequest` message; the caller limits its size
   * @param tenant owner of the spans; "" when tenancy is off
   * @returns the rows; `rejectedSpans` counts spans with an id of a wrong length or a broken part, and spans beyond
   * 100,000. It also counts all spans after 500,000 items, where an item is a span, process, tag, log, reference or
   * warning. An id of zeros is valid in this format.
   * @throws WireError for an invalid request; then no span of the request is kept. WIRE_TRUNCATED or WIRE_MALFORMED for
   * bytes that are not a `PostSpansRequest`; the first span's fault when all spans are rejected
   */
  transcode(request: Uint8Array, tenant = ""): TranscodeResult {
    const cursor = this.#cursor;
    cursor.open(request);
    this.#out.clear();
    this.#prefixes.begin();
    this.#last = undefined;
    this.#tenant = tenant;
    this.#count = 0;
    this.#ownStart = -1;
    this.#findBatches(request.length);
    this.#spans.parts = this.#batches.count - 1;
    this.#processes.clear();
    let spanCount = 0;
    for (let index = 0; index < this.#batches.count; index++) {
      cursor.position = this.#batches.start(index);
      spanCount += this.#findProcesses(this.#batches.end(index));
    }
    this.#rejected = new RejectedSpans();
    this.#spanIndex = 0;
    this.#processProblem = undefined;
    try {
      this.#spans.parts += this.#shared.write(this.#processes, this.#format, tenant);
    } catch (error) {
      // A request without spans can report the fault only by this error.
      if (spanCount === 0) {
        throw error;
      }
      this.#processProblem = error;
    }
    for (let index = 0; index < this.#batches.count; index++) {
      cursor.position = this.#batches.start(index);
      this.#batch(this.#batches.end(index));
    }
    this.#rejected.refuseNothing(this.#count);
    const { plainBytes } = this.#prefixes;
    return {
      rows: { bytes: this.#out.bytes, count: this.#count, plainBytes },
      rejectedSpans: this.#rejected.count,
      errorMessage: this.#rejected.errorMessage,
    };
  }

  #findBatches(end: number): void {
    const cursor = this.#cursor;
    this.#batches.clear();
    while (cursor.position < end) {
      const tag = cursor.tag(end);
      if (tag === 10) {
        this.#batches.add(cursor, end);
      } else {
        cursor.skip(tag, end, requestFields);
      }
    }
  }

  /** Finds the processes first, because a process may follow its spans. @returns the number of spans */
  #findProcesses(end: number): number {
    const cursor = this.#cursor;
    let spanCount = 0;
    while (cursor.position < end) {
      const tag = cursor.tag(end);
      if (tag === 18) {
        this.#processes.add(cursor, end);
      } else if (tag === 10) {
        spanCount++;
        cursor.position = cursor.fieldEnd(end);
      } else {
        cursor.skip(tag, end, batchFields);
      }
    }
    return spanCount;
  }

  #batch(end: number): void {
    const cursor = this.#cursor;
    while (cursor.position < end) {
      const tag = cursor.tag(end);
      if (tag === 10) {
        this.#span(cursor.fieldEnd(end));
      }
      // Skips processes and unknown fields; their wire types were already checked.
      else {
        cursor.skip(tag, end, 0);
      }
    }
  }

  #span(end: number): void {
    const spans = this.#spans;
    const rowAt = this.#out.length;
    const { parts } = spans;
    try {
      spans.scan(end);
      this.#row();
      this.#count++;
    } catch (error) {
      this.#prefixes.takeBack(rowAt);
      this.#last = undefined;
      this.#ownStart = -1;
      spans.parts = parts;
      const index = this.#spanIndex;
      this.#rejected.add(spans.name, () => `spans[${index}]`, error);
    }
    this.#spanIndex++;
    this.#cursor.position = end;
  }

  #row(): void {
    const spans = this.#spans;
    if (this.#count === maxSpans) {
      throw new WireError("WIRE_TOO_LARGE", `request has more than the limit of ${maxSpans} spans`);
    }
    const hasOwn = spans.processes.count > 0;
    if (!hasOwn && this.#processProblem !== undefined) {
      throw this.#processProblem;
    }
    this.#beginRow(hasOwn ? this.#ownPrefix(spans.processes) : this.#shared);
    spans.write();
    if (spans.parts > maxParts) {
      throw new WireError("WIRE_TOO_LARGE", `request has more than the limit of ${maxParts} parts`);
    }
  }

  #beginRow(prefix: Prefix): void {
    if (prefix === this.#last) {
      this.#prefixes.again();
      return;
    }
    const start = this.#out.length;
    this.#out.copy(prefix.columns.buffer, 0, prefix.columns.length);
    this.#prefixes.written(start);
    this.#last = prefix;
  }

  #ownPrefix(processes: FieldList): Prefix {
    const { bytes } = this.#cursor;
    const start = processes.start(0);
    const end = processes.end(0);
    const isKnown =
      processes.count === 1 &&
      this.#ownStart !== -1 &&
      bytes.compare(bytes, start, end, this.#ownStart, this.#ownEnd) === 0;
    if (!isKnown) {
      this.#last = undefined;
      this.#spans.parts += this.#own.write(processes, this.#format, this.#tenant);
      this.#ownStart = processes.count === 1 ? start : -1;
      this.#ownEnd = end;
    }
    return this.#own;
  }
}

/** The columns `tenant` to `scope_schema_url`, written from a process. */
class Prefix {
  readonly columns: ByteWriter;
  readonly #cursor: ProtoCursor;
  readonly #tagTranscoder: TagTranscoder;
  readonly #tags = new FieldList();

  constructor(cursor: ProtoCursor, maxBytes: number | undefined) {
    this.#cursor = cursor;
    this.columns = new ByteWriter(maxBytes);
    this.#tagTranscoder = new TagTranscoder(cursor, this.columns);
  }

  /** @returns the number of items in the process */
  write(processes: FieldList, format: number, tenant: string): number {
    const cursor = this.#cursor;
    const out = this.columns;
    let nameStart = 0;
    let nameEnd = 0;
    this.#tags.clear();
    for (let index = 0; index < processes.count; index++) {
      cursor.position = processes.start(index);
      const end = processes.end(index);
      while (cursor.position < end) {
        const tag = cursor.tag(end);
        if (tag === 10) {
          nameEnd = cursor.fieldEnd(end);
          nameStart = cursor.position;
          cursor.position = nameEnd;
        } else if (tag === 18) {
          this.#tags.add(cursor, end);
        } else {
          cursor.skip(tag, end, processFields);
        }
      }
    }
    out.clear();
    out.string(tenant);
    out.uint8(format);
    if (processes.count === 0) {
      out.string("null-process-and-service-name");
    } else if (nameStart === nameEnd) {
      out.string("empty-service-name");
    } else {
      copyText(out, cursor.bytes, cursor.view, nameStart, nameEnd);
    }
    this.#tagTranscoder.list(this.#tags);
    out.uint32(0);
    out.uint8(0);
    writeScope(out, noScope);
    return processes.count + this.#tags.count;
  }
}
