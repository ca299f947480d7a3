import { isUtf8 } from "node:buffer";
import { type Attribute, attributeTypeCodes } from "../model/attribute.ts";
import { attributeMark, typeLetterBytes, valueMark } from "./attribute-list.ts";
import { attributeText, doubleText } from "./attribute-text.ts";
import type { ByteWriter } from "./byte-writer.ts";
import { writeDecimal, writeShortDouble } from "./decimal-text.ts";

const trueText = Buffer.from("true");
const falseText = Buffer.from("false");
const hexDigits = Buffer.from("0123456789abcdef");

/** Bytes that are copied from. Cursors have these fields, so no object is made for a span or an attribute. */
export interface ViewedBytes {
  readonly bytes: Buffer;
  /** The same memory as `bytes`. */
  readonly view: DataView;
}

/**
 * Writes attributes one by one, in the two forms of a row. Attributes of spans and resources are written as one string
 * (see `attribute-list.ts`). Attributes of scopes, events and links are written as an array of tuples.
 *
 * attributes.beginList(); attributes.key(attributeTypeCodes.bool, "retry"); attributes.bool(true);
 * attributes.end();
 *
 * Bytes must be UTF-8. Each method's comment says if the method checks this, or if its caller must.
 */
export class AttributeWriter {
  readonly #out: ByteWriter;
  #isList = false;
  #listAt = 0;

  constructor(out: ByteWriter) {
    this.#out = out;
  }

  /** Begins a list in one string. */
  beginList(): void {
    this.#isList = true;
    this.#listAt = this.#out.beginString();
  }

  /** Begins an array of `count` tuples. */
  beginTuples(count: number): void {
    this.#isList = false;
    this.#out.varint(count);
  }

  /** @returns position of the list, after its length; 0 for tuples */
  end(): number {
    if (!this.#isList) {
      return 0;
    }
    const out = this.#out;
    if (out.length > this.#listAt + 2) {
      out.uint8(attributeMark);
    }
    return out.endString(this.#listAt);
  }

  /** True when attributes are written as one string, false for tuples. */
  get isList(): boolean {
    return this.#isList;
  }

  /** Position of the present list; valid until the list ends. */
  get listStart(): number {
    return this.#listAt + 2;
  }

  /**
   * Writes key and type; a value must follow.
   * @param type number of the type, as in `attributeTypeCodes`
   */
  key(type: number, key: string): void {
    const out = this.#out;
    if (this.#isList) {
      out.uint8(attributeMark);
      out.utf8(key);
      this.#type(type);
    } else {
      out.string(key);
      out.uint8(type);
    }
  }

  /**
   * Like `key`, for a key in `[start, end)` of the source.
   * @returns false when a byte may not be ASCII, so that the caller must check the key for UTF-8
   */
  keyBytes(type: number, source: ViewedBytes, start: number, end: number): boolean {
    const { bytes, view } = source;
    const out = this.#out;
    if (this.#isList) {
      // The size is checked once for mark, key and type.
      out.reserve(end - start + 3);
      out.buffer[out.length++] = attributeMark;
      const isAscii = out.textBytes(bytes, view, start, end);
      const { buffer, length } = out;
      buffer[length] = valueMark;
      buffer[length + 1] = typeLetterBytes[type] as number;
      out.length = length + 2;
      return isAscii;
    }
    const isAscii = out.text(bytes, view, start, end);
    out.uint8(type);
    return isAscii;
  }

  /** Like `keyBytes`; bytes that are not UTF-8 become U+FFFD. */
  lenientKey(type: number, source: ViewedBytes, start: number, end: number): void {
    const at = this.#out.length;
    if (this.keyBytes(type, source, start, end) || isUtf8(source.bytes.subarray(start, end))) {
      return;
    }
    this.#out.length = at;
    this.key(type, source.bytes.toString("utf8", start, end));
  }

  /** Position at which the next attribute will start. */
  get at(): number {
    return this.#out.length;
  }

  /** Removes an incomplete attribute that starts at this position. */
  takeBack(at: number): void {
    this.#out.length = at;
  }

  /** Writes the text of a value of any type. */
  value(text: string): void {
    if (this.#isList) {
      this.#out.utf8(text);
    } else {
      this.#out.string(text);
    }
  }

  /**
   * Writes a value whose text is `source[start, end)`.
   * @returns as `keyBytes`
   */
  valueBytes(source: Uint8Array, view: DataView, start: number, end: number): boolean {
    const out = this.#out;
    return this.#isList ? out.textBytes(source, view, start, end) : out.text(source, view, start, end);
  }

  /** Like `valueBytes`; bytes that are not UTF-8 become U+FFFD. */
  lenientValue(source: Buffer, view: DataView, start: number, end: number): void {
    const at = this.#out.length;
    if (this.valueBytes(source, view, start, end) || isUtf8(source.subarray(start, end))) {
      return;
    }
    this.#out.length = at;
    this.value(source.toString("utf8", start, end));
  }

  bool(value: boolean): void {
    const text = value ? trueText : falseText;
    const at = this.#beginShort();
    this.#out.copy(text, 0, text.length);
    this.#endShort(at);
  }

  /** Writes a signed 64-bit number, given as two halves, each signed or unsigned. */
  int(low: number, high: number): void {
    const at = this.#beginShort();
    writeDecimal(this.#out, low, high);
    this.#endShort(at);
  }

  double(value: number): void {
    const at = this.#beginShort();
    if (writeShortDouble(this.#out, value)) {
      this.#endShort(at);
      return;
    }
    this.#out.length = at;
    this.value(doubleText(value));
  }

  /** Writes the value of type bytes `source[start, end)`. */
  bytes(source: Uint8Array, start: number, end: number): void {
    if (!this.#isList) {
      this.#out.varint((end - start) * 2);
    }
    writeHex(this.#out, source, start, end);
  }

  /** Writes attributes with their keys and values. */
  all(attributes: readonly Attribute[]): void {
    for (const { key, value } of attributes) {
      this.key(attributeTypeCodes[value.type], key);
      this.value(attributeText(value));
    }
  }

  #type(type: number): void {
    const out = this.#out;
    out.reserve(2);
    out.buffer[out.length] = valueMark;
    out.buffer[out.length + 1] = typeLetterBytes[type] as number;
    out.length += 2;
  }

  /** Begins a text of less than 128 bytes whose length is not known yet. */
  #beginShort(): number {
    const { length } = this.#out;
    if (!this.#isList) {
      this.#out.uint8(0);
    }
    return length;
  }

  #endShort(at: number): void {
    if (!this.#isList) {
      this.#out.buffer[at] = this.#out.length - at - 1;
    }
  }
}

/** Writes `[start, end)` of `bytes` as lower-case hex digits. */
function writeHex(out: ByteWriter, bytes: Uint8Array, start: number, end: number): void {
  const length = (end - start) * 2;
  out.reserve(length);
  const { buffer } = out;
  let position = out.length;
  for (let index = start; index < end; index++) {
    const byte = bytes[index] as number;
    buffer[position++] = hexDigits[byte >>> 4] as number;
    buffer[position++] = hexDigits[byte & 15] as number;
  }
  out.length = position;
}
