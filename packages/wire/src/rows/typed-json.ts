import { WireError } from "../errors.ts";
import { type Attribute, type AttributeValue, maxAttributeDepth } from "../model/attribute.ts";

/**
 * Writes an array or kvlist as typed JSON: compact JSON that keeps every type, the order of keys, and repeated keys.
 *
 * - strings, `true`/`false`, arrays and objects as in JSON; `null` is an empty value
 * - an int has only decimal digits, and is exact in 64 bits
 * - a double always has a fraction or an exponent (`2.5`, `2.0`, `-0.0`, `1e+21`); values without a JSON number are
 *   `{"$double":"NaN"}`, `{"$double":"Infinity"}` and `{"$double":"-Infinity"}`
 * - bytes are `{"$bytes":"<lower-case hex>"}`
 * - a kvlist's key that starts with `$` gets another `$` in front, so that it differs from the markers above
 *
 * Example: int 1, double 2, an empty value and a key `$b` with int 1 are written as `{"a":[1,2.0,null],"$$b":1}`.
 *
 * @throws WireError WIRE_TOO_DEEP past `maxAttributeDepth`
 */
export function typedJson(value: AttributeValue, depth = 0): string {
  switch (value.type) {
    case "empty":
      return "null";
    case "string":
      return JSON.stringify(value.value);
    case "bool":
    case "int":
      return String(value.value);
    case "double":
      return doubleJson(value.value);
    case "bytes":
      return `{"$bytes":"${hexOf(value.value)}"}`;
    case "array":
      return `[${joined(value.value, typedJson, depth + 1)}]`;
    case "kvlist":
      return `{${joined(value.value, entryJson, depth + 1)}}`;
  }
}

/** @throws WireError WIRE_TOO_DEEP when `depth` is past `maxAttributeDepth` */
export function checkAttributeDepth(depth: number): void {
  if (depth > maxAttributeDepth) {
    throw new WireError("WIRE_TOO_DEEP", `attribute value is nested deeper than ${maxAttributeDepth}`);
  }
}

/** Lower-case hex digits of bytes. */
export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
}

/** The text is built with `+`. `join` would copy a long text at every level of nesting. */
function joined<T>(items: readonly T[], json: (item: T, depth: number) => string, depth: number): string {
  checkAttributeDepth(depth);
  let text = "";
  for (const [index, item] of items.entries()) {
    text += index === 0 ? json(item, depth) : `,${json(item, depth)}`;
  }
  return text;
}

function entryJson(entry: Attribute, depth: number): string {
  const key = entry.key.startsWith("$") ? `$${entry.key}` : entry.key;
  return `${JSON.stringify(key)}:${typedJson(entry.value, depth)}`;
}

function doubleJson(value: number): string {
  if (!Number.isFinite(value)) {
    return `{"$double":"${value}"}`;
  }
  if (Object.is(value, -0)) {
    return "-0.0";
  }
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}
