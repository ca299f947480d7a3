import { WireError } from "../errors.ts";
import { type Attribute, type AttributeType, attributeTypeCodes } from "../model/attribute.ts";
import type { Resource, Scope, SpanEvent, SpanFormat } from "../model/span.ts";
import { attributeMark, malformedList, typeOfLetter, valueMark } from "./attribute-list.ts";
import { parseAttributeText } from "./parse-attribute-text.ts";
import { RepeatCache } from "./repeat-cache.ts";
import { RowReader } from "./row-reader.ts";

const attributeTypes = Object.keys(attributeTypeCodes) as AttributeType[];
/** The hex id of a root's parent: zeros. */
export const noParent = "0".repeat(16);

/** Resource, scope and format, which are the same in many spans of a sender. */
export interface SpanOrigin {
  readonly format: SpanFormat;
  readonly resource: Resource;
  readonly scope: Scope;
}

/** Reads rows from one buffer, and caches attributes that were read recently. */
export class SpanRowReader extends RowReader {
  #listed: RepeatCache<Attribute> | undefined;
  #attributes: RepeatCache<Attribute> | undefined;

  /** Attributes by their bytes in lists. */
  get listed(): RepeatCache<Attribute> {
    this.#listed ??= new RepeatCache(this.bytes);
    return this.#listed;
  }

  /** Attributes by their bytes as tuples. */
  get attributes(): RepeatCache<Attribute> {
    this.#attributes ??= new RepeatCache(this.bytes);
    return this.#attributes;
  }
}

/** Reads one element of the column `events` in the layout with events as tuples. */
export function readEvent(reader: SpanRowReader): SpanEvent {
  return {
    timeUnixNano: reader.int64(),
    name: reader.repeatedString(),
    attributes: readAttributes(reader),
    droppedAttributesCount: reader.uint32(),
  };
}

/** Reads a column of attributes that is one string. */
export function readAttributeList(reader: SpanRowReader): Attribute[] {
  const start = reader.skipString();
  return readListBetween(reader, start, reader.position);
}

/**
 * Reads the list `[start, end)`: `ff 61 fe 73 62 ff` is the attribute `a` with the string "b".
 * @throws WireError WIRE_MALFORMED for bytes that are not a list
 */
export function readListBetween(reader: SpanRowReader, start: number, end: number): Attribute[] {
  const { bytes } = reader;
  const last = end - 1;
  const attributes: Attribute[] = [];
  if (start > last) {
    return attributes;
  }
  if (start === last || bytes[start] !== attributeMark || bytes[last] !== attributeMark) {
    throw malformedList(start);
  }
  for (let mark = start; mark < last; ) {
    const known = reader.listed.findToMark(mark + 1);
    const { end: next } = reader.listed;
    attributes.push(known ?? readListed(reader, mark + 1, next));
    mark = next;
  }
  return attributes;
}

/** Reads the attribute `[start, end)`, without its marks, when the cache does not have it. */
function readListed(reader: SpanRowReader, start: number, end: number): Attribute {
  const { bytes } = reader;
  let keyEnd = start;
  while (keyEnd < end && bytes[keyEnd] !== valueMark) {
    keyEnd++;
  }
  const valueStart = keyEnd + 2;
  const type = valueStart > end ? undefined : typeOfLetter(bytes[keyEnd + 1] as number);
  if (type === undefined) {
    throw malformedList(start);
  }
  const key = reader.repeatedText(start, keyEnd);
  const attribute = { key, value: parseAttributeText(type, bytes.toString("utf8", valueStart, end)) };
  reader.listed.keep(start, end, attribute);
  return attribute;
}

/** A column of attributes that are tuples. */
export function readAttributes(reader: SpanRowReader): Attribute[] {
  return readArray(reader, readAttribute);
}

function readAttribute(reader: SpanRowReader): Attribute {
  const start = reader.position;
  skipAttribute(reader);
  const end = reader.position;
  const known = reader.attributes.find(start, end);
  if (known !== undefined) {
    return known;
  }
  reader.position = start;
  const key = reader.repeatedString();
  const type = readEnum(reader, attributeTypes);
  const attribute = { key, value: parseAttributeText(type, reader.string()) };
  reader.attributes.keep(start, end, attribute);
  return attribute;
}

function skipAttribute(reader: SpanRowReader): void {
  reader.skipString();
  reader.skip(1); // type
  reader.skipString();
}

/** Reads an array: its length as a varint, then its items. */
export function readArray<T>(reader: SpanRowReader, readItem: (reader: SpanRowReader) => T): T[] {
  // The array grows with each item, because a length in damaged bytes must not reserve memory.
  const items: T[] = [];
  for (let left = reader.varint(); left > 0; left--) {
    items.push(readItem(reader));
  }
  return items;
}

/**
 * Reads an enum of one byte. @param names names by number. @throws WireError WIRE_MALFORMED for a number without a name
 */
export function readEnum<T>(reader: SpanRowReader, names: readonly T[]): T {
  const number = reader.uint8();
  const name = names[number];
  if (name === undefined) {
    throw new WireError(
      "WIRE_MALFORMED",
      `enum number ${number} at byte ${reader.position - 1} of the rows is unknown`,
    );
  }
  return name;
}
