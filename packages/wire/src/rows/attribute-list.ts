import { WireError } from "../errors.ts";
import type { Attribute, AttributeType, AttributeValue } from "../model/attribute.ts";
import { attributeText } from "./attribute-text.ts";

// An attribute list is one byte string, so it needs one column. A list without attributes is empty. A list with
// attributes contains, for each attribute in the sender's order,
//
// 0xFF, key in UTF-8, 0xFE, letter of the type, text of the value (see `span-columns.ts`) in UTF-8
//
// and after the last attribute another 0xFF. UTF-8 never contains these two bytes, so nothing is escaped, and searching
// for an attribute means searching for its bytes. The mark that ends one attribute begins the next: `retry=true` and
// `n=3` are `ff retry fe b true ff n fe i 3 ff`.

/** Byte at the start of every attribute of a list, and after the last attribute. */
export const attributeMark = 0xff;

/** Separates key and type. */
export const valueMark = 0xfe;

/** The letter for each type in a list. */
export const attributeTypeLetters = {
  empty: "e",
  string: "s",
  bool: "b",
  int: "i",
  double: "d",
  array: "a",
  kvlist: "k",
  bytes: "x",
} as const satisfies Record<AttributeType, string>;

/** The type letters as ASCII codes, by type number. */
export const typeLetterBytes: Uint8Array = Buffer.from(Object.values(attributeTypeLetters).join(""));

const typesByLetter = new Array<AttributeType | undefined>(256).fill(undefined);
for (const [type, letter] of Object.entries(attributeTypeLetters) as [AttributeType, string][]) {
  typesByLetter[letter.charCodeAt(0)] = type;
}

/** Type for a letter, which is given as its ASCII code. Undefined for any other letter. */
export function typeOfLetter(letter: number): AttributeType | undefined {
  return typesByLetter[letter];
}

/**
 * Bytes that occur in every list with this attribute, and in no other list. Lone surrogates become U+FFFD, as
 * in lists.
 */
export function attributeNeedle(key: string, value: AttributeValue): Buffer {
  return Buffer.concat([
    Buffer.from([attributeMark]),
    Buffer.from(key),
    Buffer.from([valueMark, attributeTypeLetters[value.type].charCodeAt(0)]),
    Buffer.from(attributeText(value)),
    Buffer.from([attributeMark]),
  ]);
}

export function attributeListOf(attributes: readonly Attribute[]): Buffer {
  if (attributes.length === 0) {
    return Buffer.alloc(0);
  }
  const pieces = attributes.map(({ key, value }) => attributeNeedle(key, value).subarray(0, -1));
  return Buffer.concat([...pieces, Buffer.from([attributeMark])]);
}

/** The error for bytes that are no list of attributes. */
export function malformedList(position: number): WireError {
  return new WireError("WIRE_MALFORMED", `what stands at byte ${position} of the rows is no attribute list`);
}

// The events of a span are one byte string, so they need one column. Without events the string is empty. Otherwise each
// event, in the sender's order, is
//
// 0xFD, nanoseconds since the Unix epoch in decimal, 0xFC, name in UTF-8, attribute list
//
// and, if attributes were dropped, 0xFC with the number of dropped attributes in decimal.
//
// UTF-8 contains none of these bytes, and none of the marks in attribute lists, so nothing is escaped.

/** Byte at the start of every event. */
export const eventMark = 0xfd;

/** Byte after the time of an event, and before the number of its dropped attributes. */
export const fieldMark = 0xfc;
