import { Batch, Log, Process, Span } from "../gen/thrift/tracing.ts";
import { beginMessage, endMessage } from "../protobuf/proto-writer.ts";
import { ByteWriter } from "../rows/byte-writer.ts";
import { copyText } from "../rows/copy-text.ts";
import { RejectedSpans } from "../rows/rejected-spans.ts";
import { checkOnce, checkRequired } from "./check-fields.ts";
import { type KnownProcess, ProcessCache } from "./process-cache.ts";
import { readBigint, readClientLosses, type ThriftClientLosses } from "./thrift-client-losses.ts";
import type { ThriftCursor } from "./thrift-cursor.ts";
import { thriftTypes } from "./thrift-descriptors.ts";
import { ThriftReferences, writeId } from "./thrift-references.ts";
import { ThriftTags } from "./thrift-tags.ts";
import { writeDuration, writeTimestamp } from "./write-micros.ts";

const noProcess = Buffer.alloc(0);
const { fields: batchFields } = Batch;
const { fields: processFields } = Process;
const { fields: spanFields } = Span;
const { fields: logFields } = Log;

/**
 * Converts the Thrift struct `Batch` to `api_v2` protobuf, without making an object for each span. Times become
 * nanoseconds. The parent id becomes the first reference (CHILD_OF), unless a reference already names the same span. A
 * tag of an unknown type becomes a text with that number. Bytes of strings that are not UTF-8 become U+FFFD.
 *
 * A missing required field and a repeated list are faults. If a faulty span is still a valid Thrift struct, it is
 * rejected without affecting the other spans. A faulty tag of the process is dropped. A field is skipped when the IDL
 * does not declare it, or declares another type.
 */
export class ThriftToApiV2 {
  /**
   * Process of the last batch: an encoded `api_v2` `Process`, whose bytes never change. Equal processes usually are the
   * same object.
   */
  process: Buffer = noProcess;
  /** Field 1 of an `api_v2` `Batch` for each span of the last batch. */
  readonly spans: ByteWriter;
  /** Number of the spans in `spans`. */
  spanCount = 0;
  /** Rejected spans of the last batch. */
  rejected = new RejectedSpans();
  /** Field `seqNo` of the last batch. */
  seqNo: bigint | undefined;
  /** Losses in the client's statistics; undefined for a client that sends none. */
  losses: ThriftClientLosses | undefined;
  readonly #cursor: ThriftCursor;
  readonly #spansAt: number;
  /** Tags and logs of the present span. They are copied after the span's other fields, which must be known first. */
  readonly #tail: ByteWriter;
  readonly #references: ThriftReferences;
  /** Buffer for the present process. */
  readonly #processWriter: ByteWriter;
  readonly #tags: ThriftTags;
  readonly #processes = new ProcessCache();
  #clientUuid = "";

  // Ids of the present span. The IDL requires all these fields, so no value of a previous span can remain.
  readonly #ids = {
    traceHighHigh: 0,
    traceHighLow: 0,
    traceLowHigh: 0,
    traceLowLow: 0,
    parentHigh: 0,
    parentLow: 0,
  };
  #spanHigh = 0;
  #spanLow = 0;
  #nameStart = 0;
  #nameStop = 0;
  #flags = 0;
  #startHigh = 0;
  #startLow = 0;
  #durationHigh = 0;
  #durationLow = 0;

  /**
   * @param maxBytes size limit in bytes, separately for the spans and for the process of a batch
   * @param spansAt number of bytes at the start of `spans` that stay free for the caller
   */
  constructor(cursor: ThriftCursor, maxBytes?: number, spansAt = 0) {
    this.#cursor = cursor;
    this.#tags = new ThriftTags(cursor);
    this.#spansAt = spansAt;
    this.spans = new ByteWriter(maxBytes);
    this.#tail = new ByteWriter(maxBytes);
    this.#references = new ThriftReferences(cursor, maxBytes);
    this.#processWriter = new ByteWriter(maxBytes);
  }

  /** Text of the first process tag `client-uuid` in the last batch; "" without such a tag. */
  get clientUuid(): string {
    return this.#clientUuid;
  }

  /**
   * Reads the struct at the cursor's position. The caller must use `readEitherWay`.
   * @throws WireError WIRE_TRUNCATED, WIRE_MALFORMED, WIRE_TOO_DEEP (64 levels), WIRE_TOO_LARGE past `maxBytes`
   */
  readBatch(): void {
    const cursor = this.#cursor;
    this.process = noProcess;
    this.#clientUuid = "";
    this.spans.clear();
    this.spans.zeros(this.#spansAt);
    this.spanCount = 0;
    this.rejected = new RejectedSpans();
    this.seqNo = undefined;
    this.losses = undefined;
    let seen = 0;
    for (let id = 0; cursor.field(id); ) {
      id = cursor.fieldId;
      switch (id) {
        case batchFields.process.id:
          checkOnce(seen, batchFields.process);
          // If the field `process` has a wrong type, only service name and tags are lost, and the spans are kept.
          seen |= 1 << batchFields.process.id;
          if (!cursor.has(thriftTypes.struct, batchFields.process)) {
            continue;
          }
          this.#readProcess();
          break;
        case batchFields.spans.id: {
          if (!cursor.has(thriftTypes.list, batchFields.spans)) {
            continue;
          }
          checkOnce(seen, batchFields.spans);
          seen |= 1 << batchFields.spans.id;
          const count = cursor.spans(batchFields.spans.label);
          for (let index = 0; index < count; index++) {
            this.#spanOrReject(index);
          }
          break;
        }
        case batchFields.seqNo.id:
          if (!cursor.has(thriftTypes.i64, batchFields.seqNo)) {
            continue;
          }
          this.seqNo = readBigint(cursor);
          break;
        case batchFields.stats.id:
          if (!cursor.has(thriftTypes.struct, batchFields.stats)) {
            continue;
          }
          this.losses = readClientLosses(cursor) ?? this.losses;
          break;
        default:
          cursor.skipField();
      }
    }
    checkRequired(seen, Batch);
  }

  /**
   * Takes the process from the cache if its bytes are equal, which is true for all packets of the same client. Only a
   * new process is converted.
   */
  #readProcess(): void {
    const cursor = this.#cursor;
    const start = cursor.position;
    let known = this.#processes.find(cursor.bytes, start, cursor.end);
    if (known === undefined) {
      known = this.#convertProcess(start);
      // In such a message, the two ways of reading may end the process at different bytes, so it is not cached.
      if (!cursor.hasOtherElements) {
        this.#processes.keep(known);
      }
    } else {
      cursor.position = start + known.source.length;
    }
    this.process = known.process;
    this.#clientUuid = known.clientUuid;
  }

  /** @param start start of the struct, for the key of the cache */
  #convertProcess(start: number): KnownProcess {
    const cursor = this.#cursor;
    const out = this.#processWriter;
    out.clear();
    let clientUuid = "";
    let seen = 0;
    let nameStart = 0;
    let nameStop = 0;
    const tags = this.#tail;
    tags.clear();
    for (let id = 0; cursor.field(id); ) {
      id = cursor.fieldId;
      if (id === processFields.serviceName.id) {
        seen |= 1 << processFields.serviceName.id;
        if (!cursor.has(thriftTypes.string, processFields.serviceName)) {
          continue;
        }
        cursor.string();
        nameStart = cursor.start;
        nameStop = cursor.stop;
      } else if (id === processFields.tags.id) {
        if (!cursor.has(thriftTypes.list, processFields.tags)) {
          continue;
        }
        checkOnce(seen, processFields.tags);
        seen |= 1 << processFields.tags.id;
        clientUuid = this.#tags.writeOfProcess(tags, 0x12, cursor.structs());
      } else {
        cursor.skipField();
      }
    }
    checkRequired(seen, Process);
    if (nameStop > nameStart) {
      out.uint8(0x0a);
      copyText(out, cursor.bytes, cursor.view, nameStart, nameStop);
    }
    out.copy(tags.buffer, 0, tags.length);
    return {
      source: Buffer.from(cursor.bytes.subarray(start, cursor.position)),
      process: Buffer.from(out.bytes),
      clientUuid,
    };
  }

  /**
   * Converts one struct `Span`. If the span is faulty, its bytes are removed from `spans`, and the cursor moves to its
   * end.
   * @param index index of the span in the list, for the error
   */
  #spanOrReject(index: number): void {
    const cursor = this.#cursor;
    const start = cursor.position;
    const { length } = this.spans;
    this.#nameStop = this.#nameStart;
    try {
      this.#span();
      this.spanCount++;
    } catch (error) {
      this.spans.length = length;
      const name = cursor.bytes.toString("utf8", this.#nameStart, this.#nameStop);
      cursor.passOverStruct(start, error, Span);
      this.rejected.add(name, () => `spans[${index}]`, error);
    }
  }

  /**
   * Reads the fields of a span in any order, stores them in this object and in `#tail`, and then writes the span.
   *
   * This is one function, because a second function for the numbers would make a span of the compact protocol 5 %
   * slower.
   */
  #span(): void {
    const cursor = this.#cursor;
    const ids = this.#ids;
    const tail = this.#tail;
    tail.clear();
    this.#references.clear();
    let seen = 0;
    for (let id = 0; cursor.field(id); ) {
      id = cursor.fieldId;
      switch (id) {
        case spanFields.traceIdLow.id:
          if (!cursor.has(thriftTypes.i64, spanFields.traceIdLow)) {
            continue;
          }
          cursor.int64();
          ids.traceLowHigh = cursor.high;
          ids.traceLowLow = cursor.low;
          break;
        case spanFields.traceIdHigh.id:
          if (!cursor.has(thriftTypes.i64, spanFields.traceIdHigh)) {
            continue;
          }
          cursor.int64();
          ids.traceHighHigh = cursor.high;
          ids.traceHighLow = cursor.low;
          break;
        case spanFields.spanId.id:
          if (!cursor.has(thriftTypes.i64, spanFields.spanId)) {
            continue;
          }
          cursor.int64();
          this.#spanHigh = cursor.high;
          this.#spanLow = cursor.low;
          break;
        case spanFields.parentSpanId.id:
          if (!cursor.has(thriftTypes.i64, spanFields.parentSpanId)) {
            continue;
          }
          cursor.int64();
          ids.parentHigh = cursor.high;
          ids.parentLow = cursor.low;
          break;
        case spanFields.operationName.id:
          if (!cursor.has(thriftTypes.string, spanFields.operationName)) {
            continue;
          }
          cursor.string();
          this.#nameStart = cursor.start;
          this.#nameStop = cursor.stop;
          break;
        case spanFields.references.id:
          if (!cursor.has(thriftTypes.list, spanFields.references)) {
            continue;
          }
          checkOnce(seen, spanFields.references);
          this.#references.read(cursor.structs());
          break;
        case spanFields.flags.id:
          if (!cursor.has(thriftTypes.i32, spanFields.flags)) {
            continue;
          }
          this.#flags = cursor.int32();
          break;
        case spanFields.startTime.id:
          if (!cursor.has(thriftTypes.i64, spanFields.startTime)) {
            continue;
          }
          cursor.int64();
          this.#startHigh = cursor.high;
          this.#startLow = cursor.low;
          break;
        case spanFields.duration.id:
          if (!cursor.has(thriftTypes.i64, spanFields.duration)) {
            continue;
          }
          cursor.int64();
          this.#durationHigh = cursor.high;
          this.#durationLow = cursor.low;
          break;
        case spanFields.tags.id:
          if (!cursor.has(thriftTypes.list, spanFields.tags)) {
            continue;
          }
          checkOnce(seen, spanFields.tags);
          this.#tags.write(tail, 0x42, cursor.structs());
          break;
        case spanFields.logs.id:
          if (!cursor.has(thriftTypes.list, spanFields.logs)) {
            continue;
          }
          checkOnce(seen, spanFields.logs);
          this.#logs(cursor.structs());
          break;
        default:
          cursor.skipField();
          continue;
      }
      seen |= 1 << id;
    }
    checkRequired(seen, Span);
    this.#writeSpan();
  }

  /**
   * Writes the span as field 1 of a `Batch`: its tag, its length in at least two bytes, and its fields in the order of
   * their numbers. Fields with default values, such as an empty name or flags of 0, are omitted, as in protobuf.
   */
  #writeSpan(): void {
    const { bytes, view } = this.#cursor;
    const ids = this.#ids;
    const out = this.spans;
    const start = beginMessage(out, 0x0a, 2);
    out.reserve(28);
    out.buffer[out.length++] = 0x0a;
    out.buffer[out.length++] = 16;
    writeId(out, ids.traceHighHigh, ids.traceHighLow);
    writeId(out, ids.traceLowHigh, ids.traceLowLow);
    out.buffer[out.length++] = 0x12;
    out.buffer[out.length++] = 8;
    writeId(out, this.#spanHigh, this.#spanLow);
    if (this.#nameStop > this.#nameStart) {
      out.uint8(0x1a);
      copyText(out, bytes, view, this.#nameStart, this.#nameStop);
    }
    this.#references.writeTo(out, ids);
    if (this.#flags !== 0) {
      out.uint8(0x28);
      out.varint(this.#flags >>> 0);
    }
    writeTimestamp(out, 0x32, this.#startLow, this.#startHigh);
    writeDuration(out, 0x3a, this.#durationLow, this.#durationHigh);
    out.copy(this.#tail.buffer, 0, this.#tail.length);
    endMessage(out, start, 2);
  }

  /** Writes each struct `Log` as field 9 of a span; its time is field 1, and its tags are fields 2. */
  #logs(count: number): void {
    const cursor = this.#cursor;
    const out = this.#tail;
    for (let index = 0; index < count; index++) {
      const start = beginMessage(out, 0x4a, 1);
      let seen = 0;
      for (let id = 0; cursor.field(id); ) {
        id = cursor.fieldId;
        if (id === logFields.timestamp.id) {
          if (!cursor.has(thriftTypes.i64, logFields.timestamp)) {
            continue;
          }
          checkOnce(seen, logFields.timestamp);
          cursor.int64();
          writeTimestamp(out, 0x0a, cursor.low, cursor.high);
          seen |= 1 << logFields.timestamp.id;
        } else if (id === logFields.fields.id) {
          if (!cursor.has(thriftTypes.list, logFields.fields)) {
            continue;
          }
          checkOnce(seen, logFields.fields);
          seen |= 1 << logFields.fields.id;
          this.#tags.write(out, 0x12, cursor.structs());
        } else {
          cursor.skipField();
        }
      }
      checkRequired(seen, Log);
      endMessage(out, start, 1);
    }
  }
}
