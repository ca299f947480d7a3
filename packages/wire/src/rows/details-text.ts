import { WireError } from "../errors.ts";
import { type Attribute, type AttributeType, attributeTypeCodes } from "../model/attribute.ts";
import { refTypes, type Span, type SpanLink } from "../model/span.ts";
import { parseAttributeText } from "./parse-attribute-text.ts";
import type { RowReader } from "./row-reader.ts";

// The text of a tuple as ClickHouse writes it, without spaces. Numbers are decimal, arrays are in brackets. Strings,
// ids (as bytes) and names of enums are in single quotes, with a backslash before a quote, a backslash and the letters
// below. All other bytes stay unchanged, even if they are no UTF-8.
//
// (resource_dropped_attributes,scope_attributes,scope_dropped_attributes,
//   dropped_attributes,dropped_events,links,dropped_links,warnings)
//
// A span with only two dropped events: (0,[],0,0,2,[],0,[])

const [quote, backslash, comma, zero, nine] = [0x27, 0x5c, 0x2c, 0x30, 0x39];
const [open, close, openList, closeList] = [0x28, 0x29, 0x5b, 0x5d];

/** Byte for each escape sequence, by the character after the backslash; -1 for characters that are no escape. */
const escaped = new Int16Array(256).fill(-1);
for (const [letter, byte] of ["b\b", "f\f", "n\n", "r\r", "t\t", "0\0", "''", "\\\\"]) {
  escaped[(letter as string).charCodeAt(0)] = (byte as string).charCodeAt(0);
}

/** The rare fields that belong to resource and scope. */
export interface OriginDetails {
  readonly resourceDropped: number;
  readonly scopeAttributes: readonly Attribute[];
  readonly scopeDropped: number;
}

/** The rare fields that belong to the span itself. */
export type OwnDetails = Pick<
  Span,
  "droppedAttributesCount" | "droppedEventsCount" | "links" | "droppedLinksCount" | "warnings"
>;

/**
 * Reads texts of tuples in rows. It accepts exactly the form that ClickHouse writes, and otherwise throws WireError
 * WIRE_MALFORMED.
 */
export class DetailsText {
  /** Offset of the next byte to read. */
  position = 0;
  #end = 0;
  readonly #reader: RowReader;
  readonly #bytes: Buffer;
  /** Offset in `#bytes` of the last string, after its opening quote; escapes are not decoded. */
  #textStart = 0;
  #textEnd = 0;
  #hasEscapes = false;

  constructor(reader: RowReader) {
    this.#reader = reader;
    this.#bytes = reader.bytes;
  }

  /** Starts reading the text at `[start, end)` of the rows. */
  open(start: number, end: number): void {
    this.position = start;
    this.#end = end;
  }

  /** Skips these bytes if they are next. @returns true when they were skipped */
  skip(next: Buffer): boolean {
    const stop = this.position + next.length;
    if (stop > this.#end || next.compare(this.#bytes, this.position, stop) !== 0) {
      return false;
    }
    this.position = stop;
    return true;
  }

  /** Reads the first fields, which belong to resource and scope. */
  origin(): OriginDetails {
    this.#byte(open);
    const resourceDropped = this.#number();
    this.#byte(comma);
    const scopeAttributes = this.#list(this.#attribute);
    this.#byte(comma);
    const scopeDropped = this.#number();
    this.#byte(comma);
    return { resourceDropped, scopeAttributes, scopeDropped };
  }

  /** Reads the remaining fields, which belong to the span itself. */
  own(): OwnDetails {
    const droppedAttributesCount = this.#number();
    this.#byte(comma);
    const droppedEventsCount = this.#number();
    this.#byte(comma);
    const links = this.#list(this.#link);
    this.#byte(comma);
    const droppedLinksCount = this.#number();
    this.#byte(comma);
    const warnings = this.#list(this.#string);
    this.#byte(close);
    if (this.position !== this.#end) {
      throw this.#malformed();
    }
    return { droppedAttributesCount, droppedEventsCount, links, droppedLinksCount, warnings };
  }

  /** Reads `(trace id,span id,trace state,attributes,dropped attributes,flags,'child_of')`. */
  #link(): SpanLink {
    this.#byte(open);
    const traceId = this.#id(16);
    this.#byte(comma);
    const spanId = this.#id(8);
    this.#byte(comma);
    const traceState = this.#string();
    this.#byte(comma);
    const attributes = this.#list(this.#attribute);
    this.#byte(comma);
    const droppedAttributesCount = this.#number();
    this.#byte(comma);
    const flags = this.#number();
    this.#byte(comma);
    const name = this.#string();
    const refType = refTypes.find((type) => type === name);
    if (refType === undefined) {
      throw this.#malformed();
    }
    this.#byte(close);
    return { traceId, spanId, traceState, attributes, droppedAttributesCount, flags, refType };
  }

  /** Reads `(key,'int','3')`. */
  #attribute(): Attribute {
    this.#byte(open);
    const key = this.#string();
    this.#byte(comma);
    const type = this.#string();
    if (!Object.hasOwn(attributeTypeCodes, type)) {
      throw this.#malformed();
    }
    this.#byte(comma);
    this.#quoted();
    // This text is not cached, because values rarely repeat.
    const text = this.#hasEscapes
      ? this.#unescaped().toString()
      : this.#bytes.toString("utf8", this.#textStart, this.#textEnd);
    const value = parseAttributeText(type as AttributeType, text);
    this.#byte(close);
    return { key, value };
  }

  /** Reads a list in brackets, with commas between its items. @param readItem called with `this` */
  #list<T>(readItem: (this: DetailsText) => T): T[] {
    const items: T[] = [];
    this.#byte(openList);
    if (this.#next() === closeList) {
      this.position++;
      return items;
    }
    for (;;) {
      items.push(readItem.call(this));
      if (this.#next() === closeList) {
        this.position++;
        return items;
      }
      this.#byte(comma);
    }
  }

  /** Reads an unsigned 32-bit number. */
  #number(): number {
    const start = this.position;
    let value = 0;
    for (let byte = this.#next(); byte >= zero && byte <= nine; byte = this.#next()) {
      value = value * 10 + byte - zero;
      this.position++;
    }
    const digits = this.position - start;
    const leads = digits > 1 && this.#bytes[start] === zero;
    if (digits === 0 || digits > 10 || leads || value > 0xffff_ffff) {
      throw this.#malformed();
    }
    return value;
  }

  /** Reads a string. Strings without escapes are cached, because names repeat. */
  #string(): string {
    this.#quoted();
    return this.#hasEscapes
      ? this.#unescaped().toString()
      : this.#reader.repeatedText(this.#textStart, this.#textEnd);
  }

  /** Reads an id as hex; its bytes are a string. @throws WireError WIRE_MALFORMED for an id of another length */
  #id(byteCount: number): string {
    this.#quoted();
    if (!this.#hasEscapes) {
      if (this.#textEnd - this.#textStart !== byteCount) {
        throw this.#malformed();
      }
      return this.#bytes.toString("hex", this.#textStart, this.#textEnd);
    }
    const id = this.#unescaped();
    if (id.length !== byteCount) {
      throw this.#malformed();
    }
    return id.toString("hex");
  }

  /** Skips a string. */
  #quoted(): void {
    this.#byte(quote);
    const bytes = this.#bytes;
    const end = this.#end;
    let hasEscapes = false;
    let position = this.position;
    for (; position < end && bytes[position] !== quote; position++) {
      if (bytes[position] !== backslash) {
        continue;
      }
      hasEscapes = true;
      if (++position >= end || escaped[bytes[position] as number] === -1) {
        break;
      }
    }
    this.#textStart = this.position;
    this.#textEnd = position;
    this.#hasEscapes = hasEscapes;
    this.position = position;
    // The loop may stop at any byte, but the next line accepts only a closing quote.
    this.#byte(quote);
  }

  /** The bytes of the last string, with escape sequences replaced. */
  #unescaped(): Buffer {
    const bytes = this.#bytes;
    const text = Buffer.allocUnsafe(this.#textEnd - this.#textStart);
    let length = 0;
    for (let index = this.#textStart; index < this.#textEnd; index++) {
      const byte = bytes[index] as number;
      text[length++] = byte === backslash ? (escaped[bytes[++index] as number] as number) : byte;
    }
    return text.subarray(0, length);
  }

  /** The next byte; -1 at the end. */
  #next(): number {
    return this.position < this.#end ? (this.#bytes[this.position] as number) : -1;
  }

  /** Skips one byte. @throws WireError WIRE_MALFORMED unless it is the expected byte */
  #byte(expected: number): void {
    if (this.#next() !== expected) {
      throw this.#malformed();
    }
    this.position++;
  }

  #malformed(): WireError {
    return new WireError(
      "WIRE_MALFORMED",
      `what stands before or at byte ${this.position} of the rows is no text of details`,
    );
  }
}
