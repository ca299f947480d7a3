import { attributeTypeCodes } from "../model/attribute.ts";
import { attributeText } from "../rows/attribute-text.ts";
import { AttributeWriter } from "../rows/attribute-writer.ts";
import type { ByteWriter } from "../rows/byte-writer.ts";
import { copyText } from "../rows/copy-text.ts";
import { keyValueFields, readAnyValue, readKeyValue } from "./any-value.ts";
import type { FieldList } from "./field-list.ts";
import type { ProtoCursor } from "./proto-cursor.ts";
import { writeTextArray } from "./text-array.ts";

const { empty, bool, int, double, array } = attributeTypeCodes;

/**
 * Converts `KeyValue` messages to attributes of a row. Plain values are copied as bytes. Most arrays, kvlists, and
 * unusual encodings are converted through `AttributeValue`.
 *
 * The attribute `a: "b"` is `0a 01 61 12 03 0a 01 62` in a request, and `ff 61 fe 73 62` in a list of a row.
 */
export class AttributeTranscoder {
  readonly #cursor: ProtoCursor;
  readonly #out: ByteWriter;
  readonly #attributes: AttributeWriter;

  constructor(cursor: ProtoCursor, out: ByteWriter) {
    this.#cursor = cursor;
    this.#out = out;
    this.#attributes = new AttributeWriter(out);
  }

  /** Writes the messages of a repeated field as one list. */
  list(fields: FieldList): void {
    this.#attributes.beginList();
    this.#all(fields);
    this.#attributes.end();
  }

  /** Writes the messages of a repeated field as one array of tuples. */
  tuples(fields: FieldList): void {
    this.#attributes.beginTuples(fields.count);
    this.#all(fields);
    this.#attributes.end();
  }

  /**
   * Writes `[start, end)` of the request as a string; bytes that are not UTF-8 become U+FFFD.
   */
  text(start: number, end: number): void {
    const { bytes, view } = this.#cursor;
    copyText(this.#out, bytes, view, start, end);
  }

  /** Writes all messages, in their order. */
  #all(fields: FieldList): void {
    for (let index = 0; index < fields.count; index++) {
      this.#attribute(fields.start(index), fields.end(index));
    }
  }

  /**
   * Writes one `KeyValue`. In nearly all of them, a key precedes a value, and both lengths have one byte, so the fields
   * need not be searched.
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
      const textStart = valueStart + 2;
      if (bytes[valueStart] === 10 && bytes[valueStart + 1] === end - textStart) {
        this.#string(keyStart, keyEnd, textStart, end);
      } else {
        this.#value(keyStart, keyEnd, valueStart, end);
      }
    } else {
      this.#searched(start, end);
    }
  }

  /** Writes a `KeyValue` whose fields have another order, or whose lengths exceed 127. */
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
    this.#value(keyStart, keyEnd, valueStart, valueEnd);
  }

  /** Writes an attribute with the `AnyValue` `[start, end)`; for a missing value, `start` equals `end`. */
  #value(keyStart: number, keyEnd: number, start: number, end: number): void {
    const cursor = this.#cursor;
    if (start === end) {
      this.#key(empty, keyStart, keyEnd);
      this.#attributes.value("");
      return;
    }
    cursor.position = start;
    if (this.#plainValue(keyStart, keyEnd, end)) {
      return;
    }
    cursor.position = start;
    const value = readAnyValue(cursor, end);
    this.#key(attributeTypeCodes[value.type], keyStart, keyEnd);
    this.#attributes.value(attributeText(value));
  }

  /**
   * Writes an attribute whose `AnyValue` is exactly one string, bool, int or double, or an array of short
   * strings.
   * @returns false for any other value, which is then not written
   */
  #plainValue(keyStart: number, keyEnd: number, end: number): boolean {
    const cursor = this.#cursor;
    const attributes = this.#attributes;
    switch (cursor.tag(end)) {
      case 10: {
        const stop = cursor.fieldEnd(end);
        if (stop !== end) {
          return false;
        }
        this.#string(keyStart, keyEnd, cursor.position, stop);
        return true;
      }
      case 16:
        cursor.varint(end);
        if (cursor.position !== end) {
          return false;
        }
        this.#key(bool, keyStart, keyEnd);
        attributes.bool((cursor.low | cursor.high) !== 0);
        return true;
      case 24:
        cursor.varint(end);
        if (cursor.position !== end) {
          return false;
        }
        this.#key(int, keyStart, keyEnd);
        attributes.int(cursor.low, cursor.high);
        return true;
      case 33: {
        const value = cursor.double(end);
        if (cursor.position !== end) {
          return false;
        }
        this.#key(double, keyStart, keyEnd);
        attributes.double(value);
        return true;
      }
      case 42:
        return cursor.fieldEnd(end) === end && this.#textArray(keyStart, keyEnd, cursor.position, end);
      default:
        return false;
    }
  }

  /** @returns false for an array with values other than short strings, which is then not written */
  #textArray(keyStart: number, keyEnd: number, start: number, end: number): boolean {
    // In tuples, each text starts with its length, so short arrays cannot be copied.
    if (!this.#attributes.isList) {
      return false;
    }
    const out = this.#out;
    const { length } = out;
    this.#key(array, keyStart, keyEnd);
    if (writeTextArray(out, this.#cursor.bytes, start, end)) {
      return true;
    }
    out.length = length;
    return false;
  }

  /** Copies key and text first. The UTF-8 check is needed only when a byte is not ASCII. */
  #string(keyStart: number, keyEnd: number, start: number, end: number): void {
    const cursor = this.#cursor;
    const { bytes, view } = cursor;
    const at = this.#out.length;
    const isAsciiKey = this.#attributes.keyBytes(attributeTypeCodes.string, cursor, keyStart, keyEnd);
    if (this.#attributes.valueBytes(bytes, view, start, end) && isAsciiKey) {
      return;
    }
    if (cursor.isText(keyStart, keyEnd) && cursor.isText(start, end)) {
      return;
    }
    this.#out.length = at;
    this.#attributes.lenientKey(attributeTypeCodes.string, cursor, keyStart, keyEnd);
    this.#attributes.lenientValue(bytes, view, start, end);
  }

  /** Writes a key; the value must follow. */
  #key(type: number, start: number, end: number): void {
    this.#attributes.lenientKey(type, this.#cursor, start, end);
  }

  /** Writes a `KeyValue` with two values, which protobuf merges. */
  #decoded(start: number, end: number): void {
    this.#cursor.position = start;
    const attribute = readKeyValue(this.#cursor, end);
    this.#attributes.all([attribute]);
  }
}
