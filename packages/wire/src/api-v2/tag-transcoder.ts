import { ValueType } from "../gen/tracing/api_v2/model.ts";
import { attributeTypeCodes } from "../model/attribute.ts";
import type { FieldList } from "../otlp/field-list.ts";
import { fieldMask, type ProtoCursor } from "../otlp/proto-cursor.ts";
import { doubleText } from "../rows/attribute-text.ts";
import type { ByteWriter } from "../rows/byte-writer.ts";
import { copyText } from "../rows/copy-text.ts";
import { writeDecimal } from "../rows/decimal-text.ts";
import { writeHex } from "../rows/hex-text.ts";

const tagFields = fieldMask(1, 2, 3, 4, 5, 6, 7);

/** Length and digits of the two bools, as RowBinary strings. */
const trueText = Buffer.from("\x04true");
const falseText = Buffer.from("\x05false");

/** Writes `KeyValue` messages as attribute tuples of a row. Only the field that `v_type` names counts. */
export class TagTranscoder {
  readonly #cursor: ProtoCursor;
  readonly #out: ByteWriter;

  // The tag read last: where its key and text stand in the message.
  keyStart = 0;
  keyEnd = 0;
  type = 0;
  valueStart = 0;
  valueEnd = 0;
  bool = false;
  /** Where the value's text with its length begins in the row; -1 unless the attribute became a string. */
  textAt = -1;
  #low = 0;
  #high = 0;
  #double = 0;

  constructor(cursor: ProtoCursor, out: ByteWriter) {
    this.#cursor = cursor;
    this.#out = out;
  }

  /** Writes the messages of a repeated field as one array. */
  list(fields: FieldList): void {
    this.#out.varint(fields.count);
    for (let index = 0; index < fields.count; index++) this.tag(fields.start(index), fields.end(index));
  }

  /** Writes one message, which stays in the fields of this object until the next. */
  tag(start: number, end: number): void {
    this.#read(start, end);
    const { bytes, view } = this.#cursor;
    const out = this.#out;
    copyText(out, bytes, view, this.keyStart, this.keyEnd);
    this.textAt = -1;
    switch (this.type) {
      case ValueType.STRING:
        out.uint8(attributeTypeCodes.string);
        this.textAt = out.length;
        copyText(out, bytes, view, this.valueStart, this.valueEnd);
        return;
      case ValueType.BOOL:
        out.uint8(attributeTypeCodes.bool);
        if (this.bool) out.copy(trueText, 0, trueText.length);
        else out.copy(falseText, 0, falseText.length);
        return;
      case ValueType.INT64:
        out.uint8(attributeTypeCodes.int);
        writeDecimal(out, this.#low, this.#high);
        return;
      case ValueType.FLOAT64:
        out.uint8(attributeTypeCodes.double);
        out.string(doubleText(this.#double));
        return;
      case ValueType.BINARY:
        out.uint8(attributeTypeCodes.bytes);
        writeHex(out, bytes, this.valueStart, this.valueEnd);
        return;
      default:
        // A type of the future: protobuf hands its number through.
        out.uint8(attributeTypeCodes.string);
        this.textAt = out.length;
        out.string(`unknown type ${this.type}`);
    }
  }

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
