import type { TraceQlAttribute } from "storage/api";
import type { AttributeValue } from "wire/model";

/**
 * A value as protobuf's JSON writes OTLP's `AnyValue`: 64-bit numbers as text, bytes as base64.
 * Source: protobuf.dev, "ProtoJSON Format"
 */
export function anyValueJson(value: AttributeValue): object {
  switch (value.type) {
    case "empty":
      return {};
    case "string":
      return { stringValue: value.value };
    case "bool":
      return { boolValue: value.value };
    case "int":
      return { intValue: String(value.value) };
    case "double":
      return { doubleValue: doubleJson(value.value) };
    case "bytes":
      return { bytesValue: Buffer.from(value.value).toString("base64") };
    case "array":
      return { arrayValue: { values: value.value.map(anyValueJson) } };
    case "kvlist":
      return {
        kvlistValue: { values: value.value.map((one) => ({ key: one.key, value: anyValueJson(one.value) })) },
      };
  }
}

/**
 * Converts an attribute to JSON. An absent value becomes a word, as in Tempo, because Grafana accepts no empty value.
 */
export function keyValueJson([key, value]: TraceQlAttribute): object {
  return { key, value: value.type === "empty" ? { stringValue: "nil" } : anyValueJson(value) };
}

/** Converts a double to JSON. NaN and infinities become strings, because JSON has no numbers for them. */
export function doubleJson(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}
