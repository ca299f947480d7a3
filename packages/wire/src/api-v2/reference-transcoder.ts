import { SpanRefType } from "../gen/tracing/api_v2/model.ts";
import { refTypes } from "../model/span.ts";
import type { FieldList } from "../otlp/field-list.ts";
import { fieldMask, type ProtoCursor } from "../otlp/proto-cursor.ts";
import type { ByteWriter } from "../rows/byte-writer.ts";
import type { SpanMends } from "../rows/span-mends.ts";

const referenceFields = fieldMask(1, 2, 3);

const childOf = refTypes.indexOf("child_of");
const followsFrom = refTypes.indexOf("follows_from");

/** Converts `SpanRef` messages to the column `links`. */
export class ReferenceTranscoder {
  readonly #cursor: ProtoCursor;
  readonly #out: ByteWriter;
  readonly #mends: SpanMends;

  /** @param mends gets a warning for an id of a wrong length, which zeros replace */
  constructor(cursor: ProtoCursor, out: ByteWriter, mends: SpanMends) {
    this.#cursor = cursor;
    this.#out = out;
    this.#mends = mends;
  }

  /**
   * Writes all references as one array, and the parent at `parentAt` of the row. The parent is the span of the first
   * CHILD_OF reference to the span's own trace, whose id is at `traceIdAt`. Without a CHILD_OF reference, the parent is
   * the span of the first reference to that trace.
   * @throws WireError WIRE_TRUNCATED, WIRE_MALFORMED
   */
  list(references: FieldList, traceIdAt: number, parentAt: number): void {
    const out = this.#out;
    let parentType = 0;
    out.varint(references.count);
    for (let index = 0; index < references.count; index++) {
      const start = out.length;
      const refType = this.#reference(references.start(index), references.end(index));
      const { buffer } = out;
      if (
        parentType !== childOf &&
        (parentType === 0 || refType === childOf) &&
        buffer.compare(buffer, traceIdAt, traceIdAt + 16, start, start + 16) === 0
      ) {
        parentType = refType;
        buffer.copyWithin(parentAt, start + 16, start + 24);
      }
    }
  }

  /** @returns number of the reference's type in the row */
  #reference(start: number, end: number): number {
    const cursor = this.#cursor;
    const out = this.#out;
    let traceIdStart = 0;
    let traceIdLength = 0;
    let spanIdStart = 0;
    let spanIdLength = 0;
    let type = 0;
    cursor.position = start;
    while (cursor.position < end) {
      const tag = cursor.tag(end);
      if (tag === 10) {
        const stop = cursor.fieldEnd(end);
        traceIdStart = cursor.position;
        traceIdLength = stop - traceIdStart;
        cursor.position = stop;
      } else if (tag === 18) {
        const stop = cursor.fieldEnd(end);
        spanIdStart = cursor.position;
        spanIdLength = stop - spanIdStart;
        cursor.position = stop;
      } else if (tag === 24) {
        type = cursor.uint32(end);
      } else {
        cursor.skip(tag, end, referenceFields);
      }
    }
    if (traceIdLength === 16 || traceIdLength === 8) {
      out.zeros(16 - traceIdLength);
      out.copy(cursor.bytes, traceIdStart, traceIdStart + traceIdLength);
    } else {
      this.#noId("trace id", traceIdLength, 16);
    }
    if (spanIdLength === 8) {
      out.copy(cursor.bytes, spanIdStart, spanIdStart + 8);
    } else {
      this.#noId("span id", spanIdLength, 8);
    }
    // Empty values for trace state, attributes, dropped attributes and flags, which this format does not have.
    out.zeros(10);
    const refType = type === SpanRefType.CHILD_OF ? childOf : followsFrom;
    out.uint8(refType);
    return refType;
  }

  #noId(what: string, length: number, wanted: number): void {
    this.#out.zeros(wanted);
    this.#mends.add(`${what} of a reference was dropped: it has ${length} bytes, not ${wanted}`);
  }
}
