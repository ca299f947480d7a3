import type { ByteWriter } from "../rows/byte-writer.ts";
import type { AttributeTranscoder } from "./attribute-transcoder.ts";
import { FieldList } from "./field-list.ts";
import type { ProtoCursor } from "./proto-cursor.ts";

/** Writes OTLP `Link` messages as the column `links`. An empty id becomes zeros: a link is not searched by it. */
export class LinkTranscoder {
  readonly #cursor: ProtoCursor;
  readonly #out: ByteWriter;
  readonly #attributeTranscoder: AttributeTranscoder;
  readonly #attributes = new FieldList();

  constructor(cursor: ProtoCursor, out: ByteWriter, attributes: AttributeTranscoder) {
    this.#cursor = cursor;
    this.#out = out;
    this.#attributeTranscoder = attributes;
  }

  /** Writes the messages of a repeated field as one array. */
  list(fields: FieldList): void {
    this.#out.varint(fields.count);
    for (let index = 0; index < fields.count; index++) this.#link(fields.start(index), fields.end(index));
  }

  #link(start: number, end: number): void {
    const cursor = this.#cursor;
    const out = this.#out;
    let traceId = -1;
    let spanId = -1;
    let stateStart = 0;
    let stateEnd = 0;
    let dropped = 0;
    let flags = 0;
    this.#attributes.clear();
    cursor.position = start;
    while (cursor.position < end) {
      const tag = cursor.tag(end);
      switch (tag) {
        case 10:
          traceId = cursor.idStart(end, 16, "trace id of a link");
          break;
        case 18:
          spanId = cursor.idStart(end, 8, "span id of a link");
          break;
        case 26:
          stateEnd = cursor.fieldEnd(end);
          stateStart = cursor.position;
          cursor.position = stateEnd;
          break;
        case 34:
          this.#attributes.add(cursor, end);
          break;
        case 40:
          dropped = cursor.uint32(end);
          break;
        case 53:
          flags = cursor.fixed32(end);
          break;
        default:
          cursor.skip(tag, end);
      }
    }
    out.id(cursor.bytes, traceId, 16);
    out.id(cursor.bytes, spanId, 8);
    this.#attributeTranscoder.text(stateStart, stateEnd);
    this.#attributeTranscoder.list(this.#attributes);
    out.uint32(dropped);
    out.uint32(flags);
    // An OTLP link has no reference type.
    out.uint8(0);
  }
}
