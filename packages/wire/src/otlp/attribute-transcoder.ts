import { attributeTypeCodes } from "../model/attribute.ts";
import { attributeText, doubleText } from "../rows/attribute-text.ts";
import type { ByteWriter } from "../rows/byte-writer.ts";
import { writeDecimal } from "../rows/decimal-text.ts";
import { keyValueFields, readAnyValue, readKeyValue } from "./any-value.ts";
import type { FieldList } from "./field-list.ts";
import type { ProtoCursor } from "./proto-cursor.ts";

/** Length and digits of the two bools, as RowBinary strings. */
const trueText = Buffer.from("\x04true");
const falseText = Buffer.from("\x05false");

/**
 * Writes `KeyValue` messages as attribute tuples of a row. Plain values go from bytes to bytes; arrays, kvlists and
 * whatever is encoded in an unusual way take the way over `AttributeValue`.
 */
export class AttributeTranscoder {
  readonly #cursor: ProtoCursor;
  readonly #out: ByteWriter;

  constructor(cursor: ProtoCursor, out: ByteWriter) {
    this.#cursor = cursor;
    this.#out = out;
  }

  /** Writes the messages of a repeated field as one array. */
  list(fields: FieldList): void {
    this.#out.varint(fields.count);
    for (let index = 0; index < fields.count; index++)
      this.#attribute(fields.start(index), fields.end(index));
  }

  /**
   * Writes `[start, end)` of the request as a string.
   * @throws WireError WIRE_MALFORMED when it is not UTF-8
   */
  text(start: number, end: number): void {
    const cursor = this.#cursor;
    if (!this.#out.text(cursor.bytes, cursor.view, start, end)) cursor.checkUtf8(start, end);
  }

  /**
   * Writes one `KeyValue`. Nearly all are a key and then a value, each of a length in one byte: these need no search for
   * their fields.
   */
  #attribute(start: number, end: number): void {
    const { bytes } = this.#cursor;
    const keyStart = start + 2;
    const keyEnd = keyStart + (bytes[start + 1] as number);
    const valueStart = keyEnd + 2;
    if (
      valueStart <= end &&
      bytes[start] === 10 &&
      keyEnd - keyStart < 0x80 &&
      bytes[keyEnd] === 18 &&
      end - valueStart < 0x80 &&
      bytes[keyEnd + 1] === end - valueStart
    ) {
      this.text(keyStart, keyEnd);
      const textStart = valueStart + 2;
      if (bytes[valueStart] === 10 && bytes[valueStart + 1] === end - textStart) {
        this.#out.uint8(attributeTypeCodes.string);
        this.text(textStart, end);
      } else {
        this.#value(valueStart, end);
      }
    } else {
      this.#searched(start, end);
    }
  }

  #searched(start: number, end: number): void {
    const cursor = this.#cursor;
    cursor.position = start;
    let keyStart = start;
    let keyEnd = start;
    let valueStart = -1;
    let valueEnd = -1;
    while (cursor.position < end) {
      const tag = cursor.tag(end);
      if (tag === 10) {
        keyEnd = cursor.fieldEnd(end);
        keyStart = cursor.position;
        cursor.position = keyEnd;
      } else if (tag === 18) {
        if (valueStart !== -1) {
          this.#decoded(start, end);
          return;
        }
        valueEnd = cursor.fieldEnd(end);
        valueStart = cursor.position;
        cursor.position = valueEnd;
      } else {
        cursor.skip(tag, end, keyValueFields);
      }
    }
    this.text(keyStart, keyEnd);
    this.#value(valueStart, valueEnd);
  }

  /** Writes type and text of an `AnyValue`; `start` equals `end` when there is none. */
  #value(start: number, end: number): void {
    const cursor = this.#cursor;
    const out = this.#out;
    if (start === end) {
      out.uint8(attributeTypeCodes.empty);
      out.uint8(0);
      return;
    }
    cursor.position = start;
    if (this.#plainValue(end)) return;
    cursor.position = start;
    const value = readAnyValue(cursor, end);
    out.uint8(attributeTypeCodes[value.type]);
    out.string(attributeText(value));
  }

  /** Writes an `AnyValue` that is one string, bool, int or double and nothing else; false: it is not, nothing written. */
  #plainValue(end: number): boolean {
    const cursor = this.#cursor;
    const out = this.#out;
    switch (cursor.tag(end)) {
      case 10: {
        const stop = cursor.fieldEnd(end);
        if (stop !== end) return false;
        out.uint8(attributeTypeCodes.string);
        this.text(cursor.position, stop);
        return true;
      }
      case 16:
        cursor.varint(end);
        if (cursor.position !== end) return false;
        out.uint8(attributeTypeCodes.bool);
        if ((cursor.low | cursor.high) !== 0) out.copy(trueText, 0, trueText.length);
        else out.copy(falseText, 0, falseText.length);
        return true;
      case 24:
        cursor.varint(end);
        if (cursor.position !== end) return false;
        out.uint8(attributeTypeCodes.int);
        writeDecimal(out, cursor.low, cursor.high);
        return true;
      case 33: {
        const value = cursor.double(end);
        if (cursor.position !== end) return false;
        out.uint8(attributeTypeCodes.double);
        out.string(doubleText(value));
        return true;
      }
      default:
        return false;
    }
  }

  #decoded(start: number, end: number): void {
    this.#cursor.position = start;
    const { key, value } = readKeyValue(this.#cursor, end);
    this.#out.string(key);
    this.#out.uint8(attributeTypeCodes[value.type]);
    this.#out.string(attributeText(value));
  }
}
