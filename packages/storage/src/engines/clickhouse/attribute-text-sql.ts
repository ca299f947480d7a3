import { cityHash64 } from "wire/city-hash/city-hash-64";
import type { AttributeType } from "wire/model";
import { attributeTypeLetters } from "wire/rows/attribute-list";
import { doubleText } from "wire/rows/attribute-text";
import { concatenated, escapedText, type SqlText, sqlOf } from "./sql-text.ts";

// SQL expressions on attributes as text: `attribute_text` and `resource_text` of spans. `attribute-list.ts` of
// `wire/rows` describes the format: FF, key, FE, letter of the type, value for each attribute, and a final FF.
// `event_text` contains such lists between other data.

/** The columns, by the owner of their attributes. */
export const attributeTexts = { span: "attribute_text", resource: "resource_text" } as const;

const mark = "'\\xFF'";
const valueMark = "'\\xFE'";
const arrayMark = `'\\xFE${attributeTypeLetters.array}'`;

/**
 * Splits a column into its attributes, without the marks between them: key, FE, letter, value. The array ends with two
 * empty texts.
 */
function splitElements(column: string): string {
  return `splitByChar(${mark}, ${column})`;
}

/**
 * Hashes of the elements. The expression must stay identical to the expression of the index, or ClickHouse does not use
 * the index.
 */
function indexedHashes(column: string): string {
  return `arrayMap(e -> cityHash64(e), ${splitElements(column)})`;
}

/** Keys of array attributes. The expression must stay identical to the expression of the index. */
function indexedArrayKeys(column: string): string {
  const key = `substring(e, 1, position(e, ${arrayMark}) - 1)`;
  const arrays = `arrayFilter(e -> position(e, ${arrayMark}) > 0, ${splitElements(column)})`;
  return `if(position(${column}, ${arrayMark}) = 0, emptyArrayString(), arrayMap(e -> ${key}, ${arrays}))`;
}

/** Attributes of a column as an array of texts: key, FE, letter, value. */
export function elementsOf(column: string): string {
  return `arrayFilter(e -> e != '', ${splitElements(column)})`;
}

/** Writes the SQL for the key of an element. */
export function keyOfElement(element: string): string {
  return `substring(${element}, 1, ${separatorPosition(element, valueMark)} - 1)`;
}

/** Writes the SQL for the value of an element. */
export function valueOfElement(element: string): string {
  return `substring(${element}, ${separatorPosition(element, valueMark)} + 2)`;
}

/** Key, FE and value of an element, without the letter of the type. */
export function untypedElement(element: string): string {
  return `concat(substring(${element}, 1, ${separatorPosition(element, valueMark)}), ${valueOfElement(element)})`;
}

/** Writes the SQL for the value of an `untypedElement`. */
export function valueOfUntyped(untyped: string): string {
  return `substring(${untyped}, ${separatorPosition(untyped, valueMark)} + 1)`;
}

/** The attributes of a column as tuples of key, name of the type and value. */
export function attributeTuples(column: string): string {
  const letter = `substring(e, ${separatorPosition("e", valueMark)} + 1, 1)`;
  return `arrayMap(e -> (${keyOfElement("e")}, ${typeName(letter)}, ${valueOfElement("e")}), ${elementsOf(column)})`;
}

const types = Object.keys(attributeTypeLetters) as AttributeType[];
const typeNames = types.map((type) => `'${type}'`).join(", ");
const typeLetters = types.map((type) => `'${attributeTypeLetters[type]}'`).join(", ");

function typeName(letter: string): string {
  return `transform(${letter}, [${typeLetters}], [${typeNames}])`;
}

/**
 * Values of all attributes of a column that have this key.
 * @param key SQL expression for a text
 * @returns SQL for an array of tuples of type name and value
 */
export function valuesOfKey(column: string, key: string): string {
  const element = `arrayFilter(e -> startsWith(e, concat(${key}, ${valueMark})), ${splitElements(column)})`;
  const at = `length(${key})`;
  return `arrayMap(e -> (${typeName(`substring(e, ${at} + 2, 1)`)}, substring(e, ${at} + 3)), ${element})`;
}

/** The condition that a column has an attribute with this key. @param key SQL expression for a text */
export function hasKey(column: string, key: string): string {
  return `position(${column}, concat(${mark}, ${key}, ${valueMark})) > 0`;
}

/**
 * First attribute with this name in a column: letter of the type, then value. The result is `e`, the letter of the
 * empty type, when the column has no such attribute.
 */
export function firstElement(column: string, name: string): string {
  const at = `position(${column}, '\\xFF${escapedText(name)}\\xFE')`;
  const from = `${at} + ${Buffer.byteLength(name) + 2}`;
  return `if(${at} = 0, 'e', substring(${column}, ${from}, ${separatorPosition(column, mark, from)} - (${from})))`;
}

/** SQL expressions for the parts of one attribute. */
export interface AttributeParts {
  /** Condition that the attribute has this type. */
  readonly isOf: (type: AttributeType) => string;
  /** Name of the attribute's type. */
  readonly type: string;
  /** Value of the attribute as text. */
  readonly text: string;
}

/**
 * Extracts the parts from the result of `firstElement`. The result of `firstElement` is long: give it an alias when
 * several parts are needed.
 */
export function partsOfElement(element: string): AttributeParts {
  return {
    isOf: (type) => `startsWith(${element}, '${attributeTypeLetters[type]}')`,
    type: typeName(`substring(${element}, 1, 1)`),
    text: `substring(${element}, 2)`,
  };
}

/** One or several values that are searched, as types and texts. */
export type SoughtValues = readonly (readonly [type: AttributeType, text: SqlText])[];

/**
 * Condition that a column has the attribute with one of these values. Searching in the text is exact but reads every
 * text. The condition also compares hashes, because the index contains only hashes.
 */
export function hasElement(column: string, key: SqlText, values: SoughtValues): string {
  const hashes = values.map(([type, { text }]) => String(elementHash(key.text, type, text)));
  const [hash = "0"] = hashes;
  const isIndexed =
    hashes.length === 1
      ? `has(${indexedHashes(column)}, ${hash})`
      : `hasAny(${indexedHashes(column)}, [${hashes.join(", ")}])`;
  return `(${hasElementText(column, key, values)} AND ${isIndexed})`;
}

/**
 * Like `hasElement`, but without hashes, for few rows: planning a condition for the index takes longer than reading the
 * rows.
 */
export function hasElementText(column: string, key: SqlText, values: SoughtValues): string {
  const needles = values.map(([type, text]) =>
    concatenated("\\xFF", key, `\\xFE${attributeTypeLetters[type]}`, text, "\\xFF"),
  );
  const [needle = "''"] = needles;
  return needles.length === 1
    ? `position(${column}, ${needle}) > 0`
    : `multiSearchAny(${column}, [${needles.join(", ")}])`;
}

/** Condition that a column has an array with this key. The second part of the condition uses the index. */
export function hasArray(column: string, key: SqlText): string {
  const needle = concatenated("\\xFF", key, `\\xFE${attributeTypeLetters.array}`);
  return `(position(${column}, ${needle}) > 0 AND has(${indexedArrayKeys(column)}, ${sqlOf(key)}))`;
}

/** Types that can have a value with this text. Example: `5` may be a string, an integer or a double. */
export function typesOfText(text: string): AttributeType[] {
  const number = Number(text);
  const isOf: Readonly<Record<AttributeType, boolean>> = {
    empty: text === "",
    string: true,
    bool: text === "true" || text === "false",
    int: /^-?\d{1,19}$/.test(text),
    double: doubleText(number) === text,
    array: text.startsWith("["),
    kvlist: text.startsWith("{"),
    bytes: /^([0-9a-f]{2})*$/.test(text),
  };
  return types.filter((type) => isOf[type]);
}

// The hashes of attributes in the indexes of `spans`. Statements contain them as numbers, which ClickHouse
// plans faster than expressions.

/** Hash of an attribute in `attribute_text`, `resource_text` or `event_text`: `cityHash64(element)`. */
export function elementHash(key: string, type: AttributeType, text: string): bigint {
  const value = Buffer.from(attributeTypeLetters[type] + text);
  return cityHash64(Buffer.concat([Buffer.from(key), Buffer.of(0xfe), value]));
}

/**
 * SQL for the position of the first mark in a text, a byte from FC to FF. The result is 1 for the first byte, and 0
 * without a mark. `position` cannot be used: in ClickHouse 25.10 to 26.7, on processors without AVX-512, it does not
 * find a single byte above 7F near the end of a block's texts. The last row then seems to have no mark (issue 111232 of
 * ClickHouse, 306 of StringZilla). `position` does find sequences of several bytes. `positionCaseInsensitive` ignores
 * case, which does not matter for marks.
 * @param text SQL expression
 * @param mark SQL literal
 * @param from SQL expression for the first byte to search, counted from 1
 */
export function separatorPosition(text: string, mark: string, from?: string): string {
  return `positionCaseInsensitive(${[text, mark, ...(from === undefined ? [] : [from])].join(", ")})`;
}
