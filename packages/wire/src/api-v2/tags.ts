import { type KeyValue, ValueType } from "../gen/tracing/api_v2/model.ts";
import type { Attribute, AttributeValue } from "../model/attribute.ts";
import { nestedJson } from "./nested-json.ts";

const noBytes = Buffer.alloc(0);

const emptyTag = {
  vType: ValueType.STRING,
  vStr: "",
  vBool: false,
  vInt64: 0n,
  vFloat64: 0,
  vBinary: noBytes,
};

export function stringTag(key: string, vStr: string): KeyValue {
  return { ...emptyTag, key, vStr };
}

export function boolTag(key: string, vBool: boolean): KeyValue {
  return { ...emptyTag, key, vType: ValueType.BOOL, vBool };
}

/** A tag whose value is a signed 64-bit integer. */
export function int64Tag(key: string, vInt64: bigint): KeyValue {
  return { ...emptyTag, key, vType: ValueType.INT64, vInt64 };
}

export function float64Tag(key: string, vFloat64: number): KeyValue {
  return { ...emptyTag, key, vType: ValueType.FLOAT64, vFloat64 };
}

/** A tag whose value is bytes. @param vBinary used in the tag without copying */
export function binaryTag(key: string, vBinary: Buffer): KeyValue {
  return { ...emptyTag, key, vType: ValueType.BINARY, vBinary };
}

/**
 * Converts an attribute to the five types of the `api_v2` model: arrays and key-value lists become JSON text, an empty
 * value becomes "".
 */
export function tagFromAttribute({ key, value }: Attribute): KeyValue {
  switch (value.type) {
    case "empty":
      return stringTag(key, "");
    case "string":
      return stringTag(key, value.value);
    case "bool":
      return boolTag(key, value.value);
    case "int":
      return int64Tag(key, value.value);
    case "double":
      return float64Tag(key, value.value);
    case "bytes":
      return binaryTag(key, Buffer.from(value.value));
    case "array":
    case "kvlist":
      return stringTag(key, nestedJson(value));
  }
}

/** A tag as an attribute. Only the field that `v_type` selects counts. */
export function attributeFromTag(tag: KeyValue): Attribute {
  return { key: tag.key, value: valueOfTag(tag) };
}

function valueOfTag(tag: KeyValue): AttributeValue {
  switch (tag.vType) {
    case ValueType.STRING:
      return { type: "string", value: tag.vStr };
    case ValueType.BOOL:
      return { type: "bool", value: tag.vBool };
    case ValueType.INT64:
      return { type: "int", value: tag.vInt64 };
    case ValueType.FLOAT64:
      return { type: "double", value: tag.vFloat64 };
    case ValueType.BINARY:
      return { type: "bytes", value: tag.vBinary };
    default:
      // The type was added in a later version; protobuf passes its number on.
      return { type: "string", value: `unknown type ${tag.vType}` };
  }
}
