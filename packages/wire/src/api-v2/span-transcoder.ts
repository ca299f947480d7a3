import { FieldList } from "../otlp/field-list.ts";
import { fieldMask, type ProtoCursor } from "../otlp/proto-cursor.ts";
import { type ByteWriter, varintBytes } from "../rows/byte-writer.ts";
import { copyText } from "../rows/copy-text.ts";
import { SpanMends } from "../rows/span-mends.ts";
import { DerivedColumns } from "./derived-columns.ts";
import { badSpanId, checkTraceIdLength } from "./id-texts.ts";
import { NanoTimeReader } from "./nano-time-reader.ts";
import { timeMend } from "./nano-times.ts";
import { ReferenceTranscoder } from "./reference-transcoder.ts";
import { TagTranscoder } from "./tag-transcoder.ts";

const spanFields = fieldMask(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
/** Fields of a `Log`: its time and its tags. */
const logFields = fieldMask(1, 2);

/**
 * Converts an `api_v2` `Span` message to the columns `trace_id` to `warnings`. It first finds the fields in any order,
 * and then writes them in the order of the columns.
 *
 * Use: `scan` finds the fields, then the caller reads `processes` for the row's prefix, and `write` writes the row.
 * Kind, status and parent are first written as zeros. They are replaced when the tags and references have been read.
 */
export class SpanTranscoder {
  /** Number of spans, tags, logs, references and warnings read since the caller last reset it to 0. */
  parts = 0;
  /** Positions of the processes inside the last scanned span; empty when the span has none. */
  readonly processes = new FieldList();
  readonly #cursor: ProtoCursor;
  readonly #out: ByteWriter;
  readonly #tagTranscoder: TagTranscoder;
  readonly #references: ReferenceTranscoder;
  readonly #times: NanoTimeReader;
  readonly #derived = new DerivedColumns();
  readonly #tags = new FieldList();
  readonly #logs = new FieldList();
  readonly #logFields = new FieldList();
  readonly #referenceFields = new FieldList();
  readonly #warnings = new FieldList();
  readonly #mends = new SpanMends();

  // Positions in the request, and plain numbers. Times are two halves of 64-bit nanoseconds.
  #traceIdStart = 0;
  #traceIdEnd = 0;
  #spanIdStart = 0;
  #spanIdEnd = 0;
  #nameStart = 0;
  #nameEnd = 0;
  #flags = 0;
  #startLow = 0;
  #startHigh = 0;
  #durationLow = 0;
  #durationHigh = 0;

  constructor(cursor: ProtoCursor, out: ByteWriter) {
    this.#cursor = cursor;
    this.#out = out;
    this.#tagTranscoder = new TagTranscoder(cursor, out);
    this.#times = new NanoTimeReader(cursor);
    this.#references = new ReferenceTranscoder(cursor, out, this.#mends);
  }

  /** Name of the last scanned span. After a failed scan, the name may be empty. */
  get name(): string {
    return this.#cursor.bytes.toString("utf8", this.#nameStart, this.#nameEnd);
  }

  /**
   * Finds the fields of the span from the cursor's position to `end`.
   * @throws WireError for bytes that are no span, and WIRE_BAD_ID for an id of a wrong length
   */
  scan(end: number): void {
    this.#clear();
    this.#scanFields(end);
    checkTraceIdLength(this.#traceIdEnd - this.#traceIdStart);
    const spanIdBytes = this.#spanIdEnd - this.#spanIdStart;
    if (spanIdBytes !== 8) {
      throw badSpanId(spanIdBytes);
    }
  }

  /**
   * Writes the columns of the last scanned span. It moves the cursor to other parts of the message.
   * @throws WireError for faults inside tags, logs and references. If a reference has an id of a wrong length, the id
   *   becomes zeros, and the span gets a warning.
   */
  write(): void {
    const { bytes, view } = this.#cursor;
    const out = this.#out;
    const traceIdAt = out.length;
    if (this.#traceIdEnd - this.#traceIdStart === 8) {
      out.zeros(8);
    }
    out.copy(bytes, this.#traceIdStart, this.#traceIdEnd);
    out.copy(bytes, this.#spanIdStart, this.#spanIdStart + 8);
    // An empty parent id, which a reference may replace, and an empty trace state.
    const parentAt = out.length;
    out.zeros(9);
    out.uint32(this.#flags);
    copyText(out, bytes, view, this.#nameStart, this.#nameEnd);
    const kindAt = out.length;
    out.uint8(0);
    out.uint32(this.#startLow);
    out.uint32(this.#startHigh);
    out.uint32(this.#durationLow);
    out.uint32(this.#durationHigh);
    const statusAt = out.length;
    out.zeros(2);
    this.#writeTags(kindAt, statusAt);
    out.uint32(0);
    this.#writeLogs();
    out.uint32(0);
    this.#references.list(this.#referenceFields, traceIdAt, parentAt);
    out.uint32(0);
    out.varint(this.#warnings.count + this.#mends.count);
    for (let index = 0; index < this.#warnings.count; index++) {
      copyText(out, bytes, view, this.#warnings.start(index), this.#warnings.end(index));
    }
    this.#mends.write(out);
    this.parts +=
      1 + this.#tags.count + this.#logs.count + this.#referenceFields.count + this.#warnings.count;
  }

  /** Writes the tags, and then kind and status, which are derived from the tags but whose columns come before them. */
  #writeTags(kindAt: number, statusAt: number): void {
    const out = this.#out;
    const derived = this.#derived;
    derived.clear();
    const tagsAt = this.#tagTranscoder.list(this.#tags, derived);
    out.buffer[kindAt] = derived.kind;
    out.buffer[statusAt] = derived.status;
    if (derived.descriptionStart === -1) {
      return;
    }
    this.#insertStatusMessage(
      statusAt + 1,
      tagsAt + derived.descriptionStart,
      derived.descriptionEnd - derived.descriptionStart,
    );
  }

  /** Replaces the empty string at `at` by a copy of the text of `length` bytes at `from`. */
  #insertStatusMessage(at: number, from: number, length: number): void {
    if (length === 0) {
      return;
    }
    const out = this.#out;
    const { length: end } = out;
    const lengthBytes = varintBytes(length);
    const added = lengthBytes - 1 + length;
    // Room for the added bytes, and for the varint.
    out.reserve(added + 5);
    const { buffer } = out;
    buffer.copyWithin(at + 1 + added, at + 1, end);
    out.length = at;
    out.varint(length);
    buffer.copyWithin(at + lengthBytes, from + added, from + added + length);
    out.length = end + added;
  }

  /** Reads a time into `#times`. */
  #readTime(end: number): void {
    this.#times.read(this.#cursor.fieldEnd(end));
    if (this.#times.isClamped) {
      this.#mends.add(timeMend);
    }
  }

  /** Writes the column `events`: each log becomes an event with an empty name. */
  #writeLogs(): void {
    const cursor = this.#cursor;
    const out = this.#out;
    const times = this.#times;
    out.varint(this.#logs.count);
    for (let index = 0; index < this.#logs.count; index++) {
      cursor.position = this.#logs.start(index);
      const end = this.#logs.end(index);
      times.low = 0;
      times.high = 0;
      this.#logFields.clear();
      while (cursor.position < end) {
        const tag = cursor.tag(end);
        if (tag === 10) {
          this.#readTime(end);
        } else if (tag === 18) {
          this.#logFields.add(cursor, end);
        } else {
          cursor.skip(tag, end, logFields);
        }
      }
      out.uint32(times.low);
      out.uint32(times.high);
      // A log has no name.
      out.uint8(0);
      this.#tagTranscoder.tuples(this.#logFields);
      out.uint32(0);
      this.parts += this.#logFields.count;
    }
  }

  /** Clears the fields of the previous span. */
  #clear(): void {
    this.processes.clear();
    this.#tags.clear();
    this.#logs.clear();
    this.#referenceFields.clear();
    this.#warnings.clear();
    this.#mends.clear();
    this.#traceIdStart = 0;
    this.#traceIdEnd = 0;
    this.#spanIdStart = 0;
    this.#spanIdEnd = 0;
    this.#nameStart = 0;
    this.#nameEnd = 0;
    this.#flags = 0;
    this.#startLow = 0;
    this.#startHigh = 0;
    this.#durationLow = 0;
    this.#durationHigh = 0;
  }

  /**
   * Records the positions of the fields. A tag is `field number * 8 + wire type`.
   *
   * | Tag | Field | Tag | Field |
   * |---|---|---|---|
   * | 10 | trace id | 58 | duration, a `Duration` |
   * | 18 | span id | 66 | a tag |
   * | 26 | name | 74 | a log |
   * | 34 | a reference | 82 | process |
   * | 40 | flags | 90 | process id |
   * | 50 | start, a `Timestamp` | 98 | a warning |
   */
  #scanFields(end: number): void {
    const cursor = this.#cursor;
    const times = this.#times;
    while (cursor.position < end) {
      const tag = cursor.tag(end);
      switch (tag) {
        case 10:
          this.#traceIdEnd = cursor.fieldEnd(end);
          this.#traceIdStart = cursor.position;
          cursor.position = this.#traceIdEnd;
          break;
        case 18:
          this.#spanIdEnd = cursor.fieldEnd(end);
          this.#spanIdStart = cursor.position;
          cursor.position = this.#spanIdEnd;
          break;
        case 26:
          this.#nameEnd = cursor.fieldEnd(end);
          this.#nameStart = cursor.position;
          cursor.position = this.#nameEnd;
          break;
        case 34:
          this.#referenceFields.add(cursor, end);
          break;
        case 40:
          this.#flags = cursor.uint32(end);
          break;
        case 50:
          this.#readTime(end);
          this.#startLow = times.low;
          this.#startHigh = times.high;
          break;
        case 58:
          this.#readTime(end);
          this.#durationLow = times.low;
          this.#durationHigh = times.high;
          break;
        case 66:
          this.#tags.add(cursor, end);
          break;
        case 74:
          this.#logs.add(cursor, end);
          break;
        case 82:
          this.processes.add(cursor, end);
          break;
        case 90:
          // Skips the process id. This id is a key into the process list of a stored trace, and has no meaning in a
          // request.
          cursor.position = cursor.fieldEnd(end);
          break;
        case 98:
          this.#warnings.add(cursor, end);
          break;
        default:
          cursor.skip(tag, end, spanFields);
      }
    }
  }
}
