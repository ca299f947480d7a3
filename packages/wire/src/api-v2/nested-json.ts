import type { AttributeValue } from "../model/attribute.ts";

/** Thrown and caught only in this file, because JSON has no NaN and no infinity. */
class NotANumber extends Error {}

/**
 * An array or key-value list as compact JSON, byte for byte as Jaeger prints it. Keys are sorted by bytes; if
 * a key occurs several times, only its last value is printed. `<`, `>`, `&` become \u003c, \u003e, \u0026; bytes become
 * base64. Whole doubles have no fraction, and an empty value is null. For a value with NaN or infinity, which JSON
 * cannot express, the result is "". Source: opentelemetry-collector pdata `Value.AsString`, and Go's encoding/json
 */
export function nestedJson(value: AttributeValue): string {
  try {
    return json(value);
  } catch (error) {
    if (error instanceof NotANumber) {
      return "";
    }
    throw error;
  }
}

function json(value: AttributeValue): string {
  switch (value.type) {
    case "empty":
      return "null";
    case "string":
      return text(value.value);
    case "bool":
    case "int":
      return String(value.value);
    case "double":
      if (!Number.isFinite(value.value)) {
        throw new NotANumber();
      }
      return Object.is(value.value, -0) ? "-0" : String(value.value);
    case "bytes":
      return `"${Buffer.from(value.value).toString("base64")}"`;
    case "array":
      return `[${value.value.map(json).join(",")}]`;
    case "kvlist": {
      const members = new Map(value.value.map((member) => [member.key, member.value]));
      const sorted = [...members].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      return `{${sorted.map(([key, member]) => `${text(key)}:${json(member)}`).join(",")}}`;
    }
  }
}

function text(value: string): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
