import type { Attribute, AttributeValue } from "../model/attribute.ts";
import { checkAttributeDepth } from "../rows/typed-json.ts";
import {
  asBool,
  asBytes,
  asDouble,
  asInt64,
  asObject,
  asString,
  type JsonObject,
  member,
  messagesOf,
  stringOf,
} from "./json-fields.ts";

/**
 * A repeated `KeyValue` of OTLP JSON.
 * @throws WireError WIRE_MALFORMED; WIRE_TOO_DEEP past `maxAttributeDepth`
 */
export function attributesOf(object: JsonObject, name = "attributes", depth = 0): Attribute[] {
  return messagesOf(object, name).map((entry) => ({
    key: stringOf(entry, "key"),
    value: attributeValueOf(member(entry, "value"), depth),
  }));
}

/** An `AnyValue`; the first member of the oneof in the order of its numbers counts when there are several. */
function attributeValueOf(json: unknown, depth: number): AttributeValue {
  if (json === undefined || json === null) return { type: "empty" };
  const object = asObject(json, "value");
  for (const [name, read] of readers) {
    const value = member(object, name);
    if (value !== undefined) return read(value, name, depth);
  }
  return { type: "empty" };
}

const readers: readonly [
  name: string,
  read: (value: unknown, name: string, depth: number) => AttributeValue,
][] = [
  ["stringValue", (value, name) => ({ type: "string", value: asString(value, name) })],
  ["boolValue", (value, name) => ({ type: "bool", value: asBool(value, name) })],
  ["intValue", (value, name) => ({ type: "int", value: asInt64(value, name) })],
  ["doubleValue", (value, name) => ({ type: "double", value: asDouble(value, name) })],
  [
    "arrayValue",
    (value, name, depth) => ({ type: "array", value: itemsOf(asObject(value, name), depth + 1) }),
  ],
  [
    "kvlistValue",
    (value, name, depth) => ({ type: "kvlist", value: entriesOf(asObject(value, name), depth + 1) }),
  ],
  ["bytesValue", (value, name) => ({ type: "bytes", value: asBytes(value, name) })],
];

function itemsOf(object: JsonObject, depth: number): AttributeValue[] {
  checkAttributeDepth(depth);
  return messagesOf(object, "values").map((item) => attributeValueOf(item, depth));
}

function entriesOf(object: JsonObject, depth: number): Attribute[] {
  checkAttributeDepth(depth);
  return attributesOf(object, "values", depth);
}
