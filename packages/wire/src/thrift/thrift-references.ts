import { SpanRef, SpanRefType } from "../gen/thrift/tracing.ts";
import { ByteWriter } from "../rows/byte-writer.ts";
import { checkRequired } from "./check-fields.ts";
import type { ThriftCursor } from "./thrift-cursor.ts";
import { thriftTypes } from "./thrift-descriptors.ts";

const { fields } = SpanRef;

/**
 * Bytes of a CHILD_OF reference as a field of an `api_v2` span. A reference of another type has two more bytes:
 *
 * | Bytes | Meaning |
 * |---|---|
 * | `22 1c` | field 4 of the span, 28 bytes |
 * | `0a 10` and 16 bytes | trace id |
 * | `12 08` and 8 bytes | span id |
 * | `18 01` | FOLLOWS_FROM, for which the length is 30 bytes |
 */
const referenceLength = 30;

/** Writes the high and the low half of an id as eight big-endian bytes. The caller must reserve the space. */
export function writeId(out: ByteWriter, high: number, low: number): void {
  out.view.setInt32(out.length, high);
  out.view.setInt32(out.length + 4, low);
  out.length += 8;
}

/**
 * The trace id and the parent's span id. Each 64-bit number is two halves of 32 bits, in the form of {@link
 * ThriftCursor}.
 */
export interface ParentIds {
  readonly traceHighHigh: number;
  readonly traceHighLow: number;
  readonly traceLowHigh: number;
  readonly traceLowLow: number;
  readonly parentHigh: number;
  readonly parentLow: number;
}

/** Converts the references of one Thrift span to field 4 of an `api_v2` span, without making objects. */
export class ThriftReferences {
  readonly #cursor: ThriftCursor;
  readonly #written: ByteWriter;

  /** @param maxBytes size limit for the references of one span in bytes */
  constructor(cursor: ThriftCursor, maxBytes?: number) {
    this.#cursor = cursor;
    this.#written = new ByteWriter(maxBytes);
  }

  /** Must be called before the references of the next span. */
  clear(): void {
    this.#written.clear();
  }

  /** Reads `count` structs `SpanRef` at the cursor's position. */
  read(count: number): void {
    const out = this.#written;
    for (let index = 0; index < count; index++) {
      out.reserve(referenceLength + 2);
      this.#readOne(out);
    }
  }

  /** Reads a struct. Its ids may be in any order; each is written at its position in the table above. */
  #readOne(out: ByteWriter): void {
    const cursor = this.#cursor;
    const start = out.length;
    let seen = 0;
    let type: number = SpanRefType.CHILD_OF;
    for (let id = 0; cursor.field(id); ) {
      id = cursor.fieldId;
      switch (id) {
        case fields.refType.id:
          if (!cursor.has(thriftTypes.i32, fields.refType)) {
            continue;
          }
          type = cursor.int32();
          break;
        case fields.traceIdLow.id:
          if (!cursor.has(thriftTypes.i64, fields.traceIdLow)) {
            continue;
          }
          this.#writeIdAt(start + 12);
          break;
        case fields.traceIdHigh.id:
          if (!cursor.has(thriftTypes.i64, fields.traceIdHigh)) {
            continue;
          }
          this.#writeIdAt(start + 4);
          break;
        case fields.spanId.id:
          if (!cursor.has(thriftTypes.i64, fields.spanId)) {
            continue;
          }
          this.#writeIdAt(start + 22);
          break;
        default:
          cursor.skipField();
          continue;
      }
      seen |= 1 << id;
    }
    checkRequired(seen, SpanRef);
    finishReference(out, start, type);
  }

  /** Reads a 64-bit number, and writes it at `place`, where `read` has reserved space. */
  #writeIdAt(place: number): void {
    const cursor = this.#cursor;
    cursor.int64();
    this.#written.length = place;
    writeId(this.#written, cursor.high, cursor.low);
  }

  /**
   * Writes all references. If no reference points to the parent, a CHILD_OF reference to the parent is written first.
   */
  writeTo(out: ByteWriter, ids: ParentIds): void {
    if ((ids.parentHigh | ids.parentLow) !== 0 && !this.#names(ids)) {
      out.reserve(referenceLength);
      out.buffer[out.length++] = 0x22;
      out.buffer[out.length++] = referenceLength - 2;
      out.buffer[out.length++] = 0x0a;
      out.buffer[out.length++] = 16;
      writeId(out, ids.traceHighHigh, ids.traceHighLow);
      writeId(out, ids.traceLowHigh, ids.traceLowLow);
      out.buffer[out.length++] = 0x12;
      out.buffer[out.length++] = 8;
      writeId(out, ids.parentHigh, ids.parentLow);
    }
    out.copy(this.#written.buffer, 0, this.#written.length);
  }

  /**
   * True when a reference points to the parent. If a client sends FOLLOWS_FROM, the parent is the same span, so no
   * CHILD_OF reference is added.
   */
  #names(ids: ParentIds): boolean {
    const { buffer, view, length } = this.#written;
    for (let start = 0; start < length; start += 2 + (buffer[start + 1] as number)) {
      if (
        view.getInt32(start + 4) === ids.traceHighHigh &&
        view.getInt32(start + 8) === ids.traceHighLow &&
        view.getInt32(start + 12) === ids.traceLowHigh &&
        view.getInt32(start + 16) === ids.traceLowLow &&
        view.getInt32(start + 22) === ids.parentHigh &&
        view.getInt32(start + 26) === ids.parentLow
      ) {
        return true;
      }
    }
    return false;
  }
}

/** Writes the tags, lengths and type around the ids of a reference that begins at `start`. */
function finishReference(out: ByteWriter, start: number, type: number): void {
  const { buffer } = out;
  const isChild = type === SpanRefType.CHILD_OF;
  buffer[start] = 0x22;
  buffer[start + 1] = isChild ? referenceLength - 2 : referenceLength;
  buffer[start + 2] = 0x0a;
  buffer[start + 3] = 16;
  buffer[start + 20] = 0x12;
  buffer[start + 21] = 8;
  out.length = start + referenceLength;
  if (!isChild) {
    buffer[out.length++] = 0x18;
    buffer[out.length++] = 1;
  }
}
