import { ValueType } from "../gen/tracing/api_v2/model.ts";
import { attributeTypeCodes } from "../model/attribute.ts";
import type { FieldList } from "../otlp/field-list.ts";
import { fieldMask, type ProtoCursor } from "../otlp/proto-cursor.ts";
import { AttributeWriter } from "../rows/attribute-writer.ts";
import type { ByteWriter } from "../rows/byte-writer.ts";

const tagFields = fieldMask(1, 2, 3, 4, 5, 6, 7);

/** Called after each tag of a list was written. */
interface TagObserver {
  /** @param tag has the fields of the written tag; their positions refer to `bytes` */
  see(bytes: Buffer, tag: TagTranscoder): void;
}

/** Converts `KeyValue` messages to attributes of a row. Only the field that `v_type` selects counts. */
export class TagTranscoder {
  readonly #cursor: ProtoCursor;
  readonly #out: ByteWriter;
  readonly #attributes: AttributeWriter;

  // Positions of the last tag's key in the message.
  keyStart = 0;
  keyEnd = 0;
  /** `v_type` of the last tag: a `ValueType`, or a number that this version does not know. */
  type = 0;
  /** Position of the value's bytes, for a string and for bytes. */
  valueStart = 0;
  valueEnd = 0;
  bool = false;
  /** Start and end of the value's text, relative to the list; -1 for an attribute that is no string. */
  textStart = -1;
  textEnd = -1;
  /** Low and high 32 bits of `v_int64`. */
  #low = 0;
  #high = 0;
  #double = 0;

  constructor(cursor: ProtoCursor, out: ByteWriter) {
    this.#cursor = cursor;
    this.#out = out;
    this.#attributes = new AttributeWriter(out);
  }

  /**
   * Writes the messages of a repeated field as one list.
   * @param observer called after each written tag
   * @returns position of the list in the row, after its length
   */
  list(fields: FieldList, observer?: TagObserver): number {
    this.#attributes.beginList();
    for (let index = 0; index < fields.count; index++) {
      this.#tag(fields.start(index), fields.end(index));
      observer?.see(this.#cursor.bytes, this);
    }
    return this.#attributes.end();
  }

  /** Writes the messages of a repeated field as one array of tuples. */
  tuples(fields: FieldList): void {
    this.#attributes.beginTuples(fields.count);
    for (let index = 0; index < fields.count; index++) {
      this.#tag(fields.start(index), fields.end(index));
    }
    this.#attributes.end();
  }

  /** Writes one message. Its fields stay in this object until the next message is read. */
  #tag(start: number, end: number): void {
    this.#read(start, end);
    const cursor = this.#cursor;
    const { bytes, view } = cursor;
    const attributes = this.#attributes;
    const { keyStart, keyEnd } = this;
    this.textStart = -1;
    switch (this.type) {
      case ValueType.STRING:
        attributes.lenientKey(attributeTypeCodes.string, cursor, keyStart, keyEnd);
        this.textStart = this.#out.length - attributes.listStart;
        attributes.lenientValue(bytes, view, this.valueStart, this.valueEnd);
        this.textEnd = this.#out.length - attributes.listStart;
        return;
      case ValueType.BOOL:
        attributes.lenientKey(attributeTypeCodes.bool, cursor, keyStart, keyEnd);
        attributes.bool(this.bool);
        return;
      case ValueType.INT64:
        attributes.lenientKey(attributeTypeCodes.int, cursor, keyStart, keyEnd);
        attributes.int(this.#low, this.#high);
        return;
      case ValueType.FLOAT64:
        attributes.lenientKey(attributeTypeCodes.double, cursor, keyStart, keyEnd);
        attributes.double(this.#double);
        return;
      case ValueType.BINARY:
        attributes.lenientKey(attributeTypeCodes.bytes, cursor, keyStart, keyEnd);
        attributes.bytes(bytes, this.valueStart, this.valueEnd);
        return;
      default:
        // The type was added in a later version; protobuf passes its number on.
        attributes.lenientKey(attributeTypeCodes.string, cursor, keyStart, keyEnd);
        this.textStart = this.#out.length - attributes.listStart;
        attributes.value(`unknown type ${this.type}`);
        this.textEnd = this.#out.length - attributes.listStart;
    }
  }

  /**
   * Finds the fields of a `KeyValue`: key (tag 10), `v_type` (16), `v_str` (26), `v_bool` (32), `v_int64` (40),
   * `v_float64` (49, eight bytes), `v_binary` (58).
   */
  #read(start: number, end: number): void {
    const cursor = this.#cursor;
    cursor.position = start;
    this.keyStart = 0;
    this.keyEnd = 0;
    this.type = 0;
    this.bool = false;
    this.#low = 0;
    this.#high = 0;
    this.#double = 0;
    let textStart = 0;
    let textEnd = 0;
    let binaryStart = 0;
    let binaryEnd = 0;
    while (cursor.position < end) {
      const tag = cursor.tag(end);
      switch (tag) {
        case 10:
          this.keyEnd = cursor.fieldEnd(end);
          this.keyStart = cursor.position;
          cursor.position = this.keyEnd;
          break;
        case 16:
          this.type = cursor.uint32(end) | 0;
          break;
        case 26:
          textEnd = cursor.fieldEnd(end);
          textStart = cursor.position;
          cursor.position = textEnd;
          break;
        case 32:
          cursor.varint(end);
          this.bool = (cursor.low | cursor.high) !== 0;
          break;
        case 40:
          cursor.varint(end);
          this.#low = cursor.low;
          this.#high = cursor.high;
          break;
        case 49:
          this.#double = cursor.double(end);
          break;
        case 58:
          binaryEnd = cursor.fieldEnd(end);
          binaryStart = cursor.position;
          cursor.position = binaryEnd;
          break;
        default:
          cursor.skip(tag, end, tagFields);
      }
    }
    const isBinary = this.type === ValueType.BINARY;
    this.valueStart = isBinary ? binaryStart : textStart;
    this.valueEnd = isBinary ? binaryEnd : textEnd;
  }
}
