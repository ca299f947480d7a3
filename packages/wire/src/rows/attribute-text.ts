import type { AttributeValue } from "../model/attribute.ts";
import { hexOf, typedJson } from "./typed-json.ts";

/**
 * An attribute's value as text, for the store and for tag searches; `span-columns.ts` describes the form. Type and text
 * together are the complete value: `parseAttributeText` is the inverse function.
 *
 * @throws WireError WIRE_TOO_DEEP when arrays or kvlists are nested past `maxAttributeDepth`
 */
export function attributeText(value: AttributeValue): string {
  switch (value.type) {
    case "empty":
      return "";
    case "string":
      return value.value;
    case "bool":
    case "int":
      return String(value.value);
    case "double":
      return doubleText(value.value);
    case "bytes":
      return hexOf(value.value);
    case "array":
    case "kvlist":
      return typedJson(value);
  }
}

/** A double as JavaScript prints it, but with the sign of -0. */
export function doubleText(value: number): string {
  return Object.is(value, -0) ? "-0" : String(value);
}

/** Go's `%g` with ten digits and an exponent. Without an exponent the text equals `attributeText`. */
const withExponent = /^-?[1-9](\.\d{0,8}[1-9])?e[+-]\d{2,3}$/;
/** Smallest and largest exponent of numbers that `%g` prints without an exponent. */
const leastPlain = -4;
const mostPlain = 9;

/**
 * Converts a double in the form of Go's `%.10g`, which Jaeger's tag search uses: 1e-07, 1.5e+10, +Inf.
 * @returns the text that `attributeText` makes for this double; undefined for a text in another form, and for an equal
 * text
 */
export function soughtDoubleText(text: string): string | undefined {
  if (text === "+Inf") {
    return "Infinity";
  }
  if (text === "-Inf") {
    return "-Infinity";
  }
  if (!withExponent.test(text)) {
    return undefined;
  }
  const [mantissa = "", digits = ""] = text.split("e");
  const exponent = Number(digits);
  const isPadded = /^.0\d\d$/.test(digits);
  if (isPadded || (exponent >= leastPlain && exponent <= mostPlain)) {
    return undefined;
  }
  const value = Number(`${mantissa}e${exponent}`);
  const own = doubleText(value);
  return own === text || value === 0 || !Number.isFinite(value) ? undefined : own;
}
