import type { ByteWriter } from "../rows/byte-writer.ts";
import type { AttributeTranscoder } from "./attribute-transcoder.ts";
import { FieldList } from "./field-list.ts";
import type { ProtoCursor } from "./proto-cursor.ts";

/** Writes OTLP `Event` messages as the column `events`. */
export class EventTranscoder {
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
    for (let index = 0; index < fields.count; index++) this.#event(fields.start(index), fields.end(index));
  }

  #event(start: number, end: number): void {
    const cursor = this.#cursor;
    const out = this.#out;
    let timeLow = 0;
    let timeHigh = 0;
    let nameStart = 0;
    let nameEnd = 0;
    let dropped = 0;
    this.#attributes.clear();
    cursor.position = start;
    while (cursor.position < end) {
      const tag = cursor.tag(end);
      switch (tag) {
        case 9:
          cursor.fixed64(end);
          timeLow = cursor.low;
          timeHigh = cursor.high;
          break;
        case 18:
          nameEnd = cursor.fieldEnd(end);
          nameStart = cursor.position;
          cursor.position = nameEnd;
          break;
        case 26:
          this.#attributes.add(cursor, end);
          break;
        case 32:
          dropped = cursor.uint32(end);
          break;
        default:
          cursor.skip(tag, end);
      }
    }
    out.uint32(timeLow);
    out.uint32(timeHigh);
    this.#attributeTranscoder.text(nameStart, nameEnd);
    this.#attributeTranscoder.list(this.#attributes);
    out.uint32(dropped);
  }
}
