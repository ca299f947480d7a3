import { WireError } from "../errors.ts";
import type { AttributeType } from "../model/attribute.ts";
import { refTypes, spanFormats, spanKinds, statusCodes } from "../model/span.ts";
import { attributeMark, malformedList, typeOfLetter, valueMark } from "./attribute-list.ts";
import { hasPrefixMark, prefixMarkBytes, prefixMissing } from "./row-prefixes.ts";
import type { SpanRows } from "./span-rows.ts";

const nothing = new Uint8Array(0);

/**
 * Visits rows without decoding them, for the steps of a pipeline. Attributes, events and links are skipped by their
 * lengths. Its fields are offsets into `bytes`, which the next call of `next` changes. Attributes are checked only when
 * a caller reads them.
 *
 * scanner.open(rows); while (scanner.next()) count(scanner.bytes, scanner.serviceStart, scanner.serviceEnd);
 *
 * For a row with a mark, the fields of the prefix point to the row that has this prefix.
 *
 * A scanner visits only one set of rows at a time. For texts, `…Start` is after the length; for attributes, it is
 * before the length.
 */
export class RowScanner {
  /** The rows of the last `open`. */
  bytes: Uint8Array = nothing;
  /** First byte of the row, in its prefix or in its mark. */
  start = 0;
  /** Index just after the row. */
  end = 0;
  /** Position of the prefix: in this row, or in the last row without a mark. */
  prefixStart = 0;
  /** End of the prefix; 0 before the first row. */
  prefixEnd = 0;
  tenantStart = 0;
  tenantEnd = 0;
  /** Number of the format, as in `spanFormats`. */
  format = 0;
  serviceStart = 0;
  serviceEnd = 0;
  resourceAttributesStart = 0;
  resourceAttributesEnd = 0;
  /** Position of the trace id, 16 bytes, after the prefix or the mark. */
  traceIdAt = 0;
  /** Position of the span id, 8 bytes. */
  spanIdAt = 0;
  /** Position of the parent's span id, 8 bytes, all zero for a root span. */
  parentSpanIdAt = 0;
  /** Position of the trace state: its length, then its text. */
  traceStateAt = 0;
  traceStateEnd = 0;
  flags = 0;
  nameStart = 0;
  nameEnd = 0;
  /** Number of the kind, as in `spanKinds`. */
  kind = 0;
  /** Position of the start, 8 bytes: nanoseconds since the Unix epoch, signed, little-endian. */
  startAt = 0;
  /** Position of the duration, 8 bytes: nanoseconds, signed, little-endian. */
  durationAt = 0;
  /** Number of the status, as in `statusCodes`. */
  status = 0;
  attributesStart = 0;
  attributesEnd = 0;
  eventsEnd = 0;
  linksEnd = 0;
  /** Position of the mark before the attribute of the last `nextAttribute`. The attribute ends at `valueEnd`. */
  attributeStart = 0;
  keyStart = 0;
  keyEnd = 0;
  valueStart = 0;
  valueEnd = 0;
  /** Position of the mark at the end of the list. */
  #listEnd = 0;
  #view: DataView = new DataView(nothing.buffer);
  #expected = 0;
  #seen = 0;
  #position = 0;
  /** The result of the last `#length`. */
  #value = 0;
  /** Position of the last `#text`, after its length. */
  #textStart = 0;
  readonly #keys = new Map<string, Uint8Array>();

  /** Moves before the first row. The scanner uses `rows.bytes` until the next `open`. */
  open(rows: SpanRows): void {
    const { bytes } = rows;
    if (bytes !== this.bytes) {
      this.bytes = bytes;
      this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    }
    this.#expected = rows.count;
    this.#seen = 0;
    this.#position = 0;
    this.prefixEnd = 0;
  }

  /**
   * Moves to the next row.
   * @returns false after the last row
   * @throws WireError WIRE_TRUNCATED when the bytes end inside a row. WIRE_MALFORMED for a length of more than 5 bytes,
   *   an unknown enum number, a mark in the first row, or another number of rows than `rows.count`
   */
  next(): boolean {
    const { bytes } = this;
    const start = this.#position;
    if (start >= bytes.length) {
      if (this.#seen !== this.#expected) {
        throw wrongCount(this.#seen, this.#expected);
      }
      return false;
    }
    if (++this.#seen > this.#expected) {
      throw wrongCount(this.#seen, this.#expected);
    }
    this.#position = this.readSpan(this.readPrefix(start));
    return true;
  }

  /**
   * Reads the prefix of the row at `start`, or skips its mark.
   * @returns position after the prefix, for `readSpan`; it may be after the end of the rows
   * @throws WireError WIRE_TRUNCATED, WIRE_MALFORMED as in `next`
   */
  readPrefix(start: number): number {
    this.start = start;
    if (hasPrefixMark(this.bytes, start)) {
      if (this.prefixEnd === 0) {
        throw prefixMissing(start);
      }
      return start + prefixMarkBytes;
    }
    this.prefixStart = start;
    this.tenantEnd = this.#text(start);
    this.tenantStart = this.#textStart;
    this.format = this.#enumAt(this.tenantEnd, spanFormats.length);
    this.serviceEnd = this.#text(this.tenantEnd + 1);
    this.serviceStart = this.#textStart;
    this.resourceAttributesStart = this.serviceEnd;
    this.resourceAttributesEnd = this.#text(this.serviceEnd);
    // Order of the columns. Columns of the resource: dropped attributes, schema. Scope: name, version, attributes,
    // dropped, schema.
    let position = this.#text(this.resourceAttributesEnd + 4);
    position = this.#attributes(this.#text(this.#text(position)));
    this.prefixEnd = this.#text(position + 4);
    return this.prefixEnd;
  }

  /**
   * Reads the columns from `trace_id` on, which begin at `start`.
   * @returns index just past the row
   * @throws WireError WIRE_TRUNCATED, WIRE_MALFORMED as in `next`
   */
  readSpan(start: number): number {
    const { bytes } = this;
    this.traceIdAt = start;
    this.spanIdAt = start + 16;
    this.parentSpanIdAt = start + 24;
    this.traceStateAt = start + 32;
    this.traceStateEnd = this.#text(start + 32);
    this.flags = this.#uint32At(this.traceStateEnd);
    this.nameEnd = this.#text(this.traceStateEnd + 4);
    this.nameStart = this.#textStart;
    this.kind = this.#enumAt(this.nameEnd, spanKinds.length);
    this.startAt = this.nameEnd + 1;
    this.durationAt = this.startAt + 8;
    this.status = this.#enumAt(this.durationAt + 8, statusCodes.length);
    this.attributesStart = this.#text(this.durationAt + 9);
    this.attributesEnd = this.#text(this.attributesStart);
    this.eventsEnd = this.#events(this.attributesEnd + 4);
    this.linksEnd = this.#links(this.eventsEnd + 4);
    const position = this.#warnings(this.linksEnd + 4);
    if (position > bytes.length) {
      throw truncated(bytes);
    }
    this.end = position;
    return position;
  }

  /** Duration in nanoseconds; exact below 104 days, which is 2^53 nanoseconds. */
  get durationNs(): number {
    return (
      this.#view.getInt32(this.durationAt + 4, true) * 2 ** 32 + this.#view.getUint32(this.durationAt, true)
    );
  }

  /** Start in nanoseconds since the Unix epoch; a double rounds it to about 256 ns. */
  get startUnixNs(): number {
    return this.#view.getInt32(this.startAt + 4, true) * 2 ** 32 + this.#view.getUint32(this.startAt, true);
  }

  get traceStateText(): string {
    return this.traceStateEnd === this.traceStateAt + 1
      ? ""
      : this.#textOf(this.#length(this.traceStateAt), this.traceStateEnd);
  }

  /** True when the span has no parent. */
  get isRoot(): boolean {
    return (
      this.#view.getUint32(this.parentSpanIdAt, true) === 0 &&
      this.#view.getUint32(this.parentSpanIdAt + 4, true) === 0
    );
  }

  /**
   * The text form (see `spanColumns`) of the first attribute of the span with this key. Each call searches all
   * attributes.
   * @param key constant from code or options; keys that senders choose would fill the cache of keys
   */
  attributeText(key: string): string | undefined {
    return this.#valueText(this.attributesStart, key);
  }

  /** Like `attributeText`, for the resource's attributes. */
  resourceAttributeText(key: string): string | undefined {
    return this.#valueText(this.resourceAttributesStart, key);
  }

  #valueText(attributesStart: number, key: string): string | undefined {
    let wanted = this.#keys.get(key);
    if (wanted === undefined) {
      wanted = Buffer.from(key);
      this.#keys.set(key, wanted);
    }
    const { bytes } = this;
    const { length } = wanted;
    this.openAttributes(attributesStart);
    const last = this.#listEnd;
    for (let mark = this.valueEnd; mark < last; ) {
      const keyEnd = mark + 1 + length;
      if (bytes[keyEnd] === valueMark && sameBytes(bytes, mark + 1, keyEnd, wanted)) {
        this.valueEnd = mark;
        this.nextAttribute();
        return this.valueText;
      }
      mark++;
      while (bytes[mark] !== attributeMark) {
        mark++;
      }
    }
    return undefined;
  }

  /**
   * Moves before the first attribute of a list.
   * @param start `attributesStart` or `resourceAttributesStart`
   * @throws WireError WIRE_MALFORMED when the bytes do not begin and end as a list
   */
  openAttributes(start: number): void {
    const { bytes } = this;
    const end = this.#text(start);
    this.valueEnd = this.#textStart;
    this.#listEnd = end - 1;
    if (this.#textStart === end) {
      return;
    }
    if (this.#value < 4 || bytes[this.#textStart] !== attributeMark || bytes[end - 1] !== attributeMark) {
      throw malformedList(start);
    }
  }

  /**
   * Moves to the next attribute of the list.
   * @returns false after the last attribute of the list
   * @throws WireError WIRE_MALFORMED when the bytes are not an attribute
   */
  nextAttribute(): boolean {
    const { bytes } = this;
    const start = this.valueEnd;
    if (start >= this.#listEnd) {
      return false;
    }
    this.attributeStart = start;
    let at = start + 1;
    this.keyStart = at;
    while (bytes[at] !== valueMark && bytes[at] !== attributeMark) {
      at++;
    }
    this.keyEnd = at;
    if (bytes[at] !== valueMark || bytes[at + 1] === attributeMark) {
      throw malformedList(start);
    }
    at += 2;
    this.valueStart = at;
    while (bytes[at] !== attributeMark) {
      at++;
    }
    this.valueEnd = at;
    return true;
  }

  /**
   * Type of the attribute.
   * @throws WireError WIRE_MALFORMED for an unknown type
   */
  get valueType(): AttributeType {
    const type = typeOfLetter(this.bytes[this.keyEnd + 1] as number);
    if (type === undefined) {
      throw malformedList(this.attributeStart);
    }
    return type;
  }

  get keyText(): string {
    return this.#textOf(this.keyStart, this.keyEnd);
  }

  /** The text form (see `spanColumns`) of the attribute. */
  get valueText(): string {
    return this.#textOf(this.valueStart, this.valueEnd);
  }

  #textOf(start: number, end: number): string {
    const { buffer, byteOffset } = this.bytes;
    return Buffer.from(buffer, byteOffset + start, end - start).toString();
  }

  /** Reads an unsigned LEB128 length into `#value`. @returns position after it */
  #length(position: number): number {
    const { bytes } = this;
    if (position >= bytes.length) {
      throw truncated(bytes);
    }
    const first = bytes[position] as number;
    if (first < 0x80) {
      this.#value = first;
      return position + 1;
    }
    let value = first & 0x7f;
    let next = position + 1;
    for (let factor = 0x80; factor <= 0x1000_0000; factor *= 0x80) {
      if (next >= bytes.length) {
        throw truncated(bytes);
      }
      const byte = bytes[next++] as number;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) {
        this.#value = value;
        return next;
      }
    }
    throw new WireError("WIRE_MALFORMED", `length at byte ${position} of the rows has over 5 bytes`);
  }

  /** @returns position after the text. The position may be after the end of the rows, which the next read checks */
  #text(position: number): number {
    const start = this.#length(position);
    this.#textStart = start;
    return start + this.#value;
  }

  /** Skips attributes in the form of tuples. */
  #attributes(position: number): number {
    const { bytes } = this;
    const { length } = bytes;
    let next = this.#length(position);
    for (let left = this.#value; left > 0; left--) {
      // Most keys and values are below 128 bytes, and then `#length` need not be called.
      const keyLength = next < length ? (bytes[next] as number) : 0x80;
      next = keyLength < 0x80 ? next + keyLength + 2 : this.#text(next) + 1;
      const valueLength = next < length ? (bytes[next] as number) : 0x80;
      next = valueLength < 0x80 ? next + valueLength + 1 : this.#text(next);
    }
    return next;
  }

  #events(position: number): number {
    let next = this.#length(position);
    for (let left = this.#value; left > 0; left--) {
      next = this.#attributes(this.#text(next + 8)) + 4;
    }
    return next;
  }

  #links(position: number): number {
    let next = this.#length(position);
    for (let left = this.#value; left > 0; left--) {
      next = this.#attributes(this.#text(next + 24)) + 8;
      this.#enumAt(next, refTypes.length);
      next++;
    }
    return next;
  }

  #warnings(position: number): number {
    let next = this.#length(position);
    for (let left = this.#value; left > 0; left--) {
      next = this.#text(next);
    }
    return next;
  }

  #uint32At(position: number): number {
    if (position + 4 > this.bytes.length) {
      throw truncated(this.bytes);
    }
    return this.#view.getUint32(position, true);
  }

  #enumAt(position: number, names: number): number {
    if (position >= this.bytes.length) {
      throw truncated(this.bytes);
    }
    const number = this.bytes[position] as number;
    if (number < names) {
      return number;
    }
    throw new WireError("WIRE_MALFORMED", `enum number ${number} at byte ${position} of the rows is unknown`);
  }
}

function sameBytes(bytes: Uint8Array, start: number, end: number, wanted: Uint8Array): boolean {
  if (end - start !== wanted.length) {
    return false;
  }
  for (let index = 0; index < wanted.length; index++) {
    if (bytes[start + index] !== wanted[index]) {
      return false;
    }
  }
  return true;
}

function truncated(bytes: Uint8Array): WireError {
  return new WireError("WIRE_TRUNCATED", `rows end at byte ${bytes.length}, inside a value`);
}

function wrongCount(seen: number, expected: number): WireError {
  return new WireError(
    "WIRE_MALFORMED",
    `the bytes of ${expected} rows hold ${seen}${seen > expected ? " or more" : ""}`,
  );
}
