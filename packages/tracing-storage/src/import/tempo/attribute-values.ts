import { type Attribute, type AttributeValue, maxAttributeDepth } from "wire/model/attribute";
import { readAnyValue } from "wire/otlp/any-value";
import { ProtoCursor } from "wire/otlp/proto-cursor";
import type { DedicatedColumn } from "./block-meta.ts";

/** A group of a Parquet row: its values by the names of their columns. Null and undefined mean no value. */
export type Group = Readonly<Record<string, unknown>>;

const empty: AttributeValue = { type: "empty" };
const openBrace = 0x7b;

/**
 * Attributes of a resource, scope, span, event or link. Tempo does not keep the sender's order: attributes with a
 * column of their own come first. A key that is in both places counts once.
 * @param attrs list of `Attrs`
 * @param columns attributes with a column of their own, and the group that contains these columns
 * @param spares the same for the columns that Tempo's operator has chosen
 */
export function attributesOf(
  attrs: unknown,
  columns: { readonly known?: readonly DedicatedColumn[]; readonly values?: Group } = {},
  spares: { readonly known?: readonly DedicatedColumn[]; readonly values?: unknown } = {},
): Attribute[] {
  const attributes: Attribute[] = [];
  const keys = new Set<string>();
  for (const { known = [], values } of [columns, spares]) {
    for (const { key, column } of known) {
      const value = dedicatedValue((values as Group | null | undefined)?.[column]);
      if (value !== undefined && !keys.has(key)) {
        keys.add(key);
        attributes.push({ key, value });
      }
    }
  }
  for (const attr of listOf(attrs)) {
    const key = String(attr.Key ?? "");
    if (!keys.has(key)) {
      attributes.push({ key, value: attributeValue(attr) });
    }
  }
  return attributes;
}

/** A list of groups; an empty list for null. */
export function listOf(list: unknown): readonly Group[] {
  return Array.isArray(list) ? list.filter((each) => each !== null && each !== undefined) : [];
}

/** vParquet5 has lists in some of these columns. A list of one value is that value. */
function dedicatedValue(value: unknown): AttributeValue | undefined {
  if (!Array.isArray(value)) {
    return plainValue(value);
  }
  const values = value.map(plainValue).filter((each) => each !== undefined);
  return values.length > 1 ? { type: "array", value: values } : values[0];
}

/** The value of an attribute in `Attrs`, in the forms of vParquet3 (a value) and of later formats (lists). */
function attributeValue(attr: Group): AttributeValue {
  for (const other of [attr.ValueUnsupported, attr.ValueArray, attr.ValueKVList]) {
    if (other !== null && other !== undefined && (other as string | Uint8Array).length > 0) {
      return encodedValue(other);
    }
  }
  // Attributes of events in vParquet3 have only this column, whose bytes are an encoded OTLP value.
  if (attr.Value instanceof Uint8Array) {
    return encodedValue(attr.Value);
  }
  const columns = [attr.Value, attr.ValueInt, attr.ValueDouble, attr.ValueBool];
  if (attr.IsArray === true) {
    const filled = columns.find((column) => Array.isArray(column) && column.length > 0);
    const values = (filled as unknown[] | undefined) ?? [];
    return { type: "array", value: values.map((each) => plainValue(each) ?? empty) };
  }
  for (const column of columns) {
    const value = plainValue(Array.isArray(column) ? column[0] : column);
    if (value !== undefined) {
      return value;
    }
  }
  return empty;
}

function plainValue(value: unknown): AttributeValue | undefined {
  switch (typeof value) {
    case "string":
      return { type: "string", value };
    case "boolean":
      return { type: "bool", value };
    case "bigint":
      return { type: "int", value };
    case "number":
      return { type: "double", value };
    default:
      return value instanceof Uint8Array
        ? { type: "string", value: Buffer.from(value).toString() }
        : undefined;
  }
}

/** An OTLP value in JSON or protobuf; a text that is neither stays a text. */
function encodedValue(encoded: unknown): AttributeValue {
  if (encoded instanceof Uint8Array && encoded[0] !== openBrace) {
    const cursor = new ProtoCursor();
    cursor.open(encoded);
    return readAnyValue(cursor, encoded.length);
  }
  const text = typeof encoded === "string" ? encoded : Buffer.from(encoded as Uint8Array).toString();
  try {
    return jsonValue(JSON.parse(text), 0);
  } catch {
    return { type: "string", value: text };
  }
}

/** An `AnyValue` in JSON, with names in camelCase or with underscores. @throws Error for another form */
function jsonValue(json: unknown, depth: number): AttributeValue {
  if (json === null || typeof json !== "object" || depth > maxAttributeDepth) {
    throw new Error("no value of OTLP");
  }
  const [[name, value] = ["", undefined]] = Object.entries(json as Group);
  switch (name.replaceAll("_", "").toLowerCase()) {
    case "":
      return empty;
    case "stringvalue":
      return { type: "string", value: String(value) };
    case "boolvalue":
      return { type: "bool", value: value === true };
    case "intvalue":
      return { type: "int", value: BigInt.asIntN(64, BigInt(value as string)) };
    case "doublevalue":
      return { type: "double", value: Number(value) };
    case "bytesvalue":
      return { type: "bytes", value: Buffer.from(String(value), "base64") };
    case "arrayvalue":
      return {
        type: "array",
        value: listOf((value as Group).values).map((each) => jsonValue(each, depth + 1)),
      };
    case "kvlistvalue":
      return {
        type: "kvlist",
        value: listOf((value as Group).values).map((each) => ({
          key: String(each.key ?? ""),
          value: jsonValue(each.value ?? {}, depth + 1),
        })),
      };
    default:
      throw new Error("no value of OTLP");
  }
}
