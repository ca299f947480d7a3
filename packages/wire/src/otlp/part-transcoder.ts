import type { ByteWriter } from "../rows/byte-writer.ts";
import type { AttributeTranscoder } from "./attribute-transcoder.ts";
import { FieldList } from "./field-list.ts";
import type { ProtoCursor } from "./proto-cursor.ts";

/** Tags of the fields that events and links share. */
interface PartTags {
  readonly text: number;
  readonly attributes: number;
  readonly droppedAttributes: number;
}

/**
 * Writes the messages of a span's repeated field (events, links) as one array. It first finds the fields of a message,
 * which may have any order. Then it writes them in the order of the columns.
 */
export abstract class PartTranscoder {
  protected readonly cursor: ProtoCursor;
  protected readonly out: ByteWriter;
  readonly #attributeTranscoder: AttributeTranscoder;
  readonly #attributes = new FieldList();
  readonly #tags: PartTags;
  #textStart = 0;
  #textEnd = 0;
  #droppedAttributes = 0;

  constructor(cursor: ProtoCursor, out: ByteWriter, attributes: AttributeTranscoder, tags: PartTags) {
    this.cursor = cursor;
    this.out = out;
    this.#attributeTranscoder = attributes;
    this.#tags = tags;
  }

  list(fields: FieldList): void {
    this.out.varint(fields.count);
    for (let index = 0; index < fields.count; index++) {
      this.#scan(fields.start(index), fields.end(index));
      this.write();
    }
  }

  /** Clears the fields of the previous message. */
  protected abstract clear(): void;

  /** Reads the field with this tag, or skips it. */
  protected abstract field(tag: number, end: number): void;

  /** Writes the columns of the message that was scanned last. */
  protected abstract write(): void;

  /** Writes text, attributes and dropped count, which are adjacent columns of every part. */
  protected writeShared(): void {
    this.#attributeTranscoder.text(this.#textStart, this.#textEnd);
    this.#attributeTranscoder.tuples(this.#attributes);
    this.out.uint32(this.#droppedAttributes);
  }

  #scan(start: number, end: number): void {
    const { cursor } = this;
    const tags = this.#tags;
    this.#textStart = 0;
    this.#textEnd = 0;
    this.#droppedAttributes = 0;
    this.#attributes.clear();
    this.clear();
    cursor.position = start;
    while (cursor.position < end) {
      const tag = cursor.tag(end);
      if (tag === tags.attributes) {
        this.#attributes.add(cursor, end);
      } else if (tag === tags.text) {
        this.#textEnd = cursor.fieldEnd(end);
        this.#textStart = cursor.position;
        cursor.position = this.#textEnd;
      } else if (tag === tags.droppedAttributes) {
        this.#droppedAttributes = cursor.uint32(end);
      } else {
        this.field(tag, end);
      }
    }
  }
}
