import { doubleText } from "./attribute-text.ts";

/** Go's `%g` with ten digits and an exponent. Without an exponent the text equals `attributeText`. */
const withExponent = /^-?[1-9](\.\d{0,8}[1-9])?e[+-]\d{2,3}$/;
/** Smallest and largest exponent of numbers that `%g` prints without an exponent. */
const leastPlain = -4;
const mostPlain = 9;

/**
 * Converts a double in the form of Go's `%.10g`, which the public model's tag search uses: 1e-07, 1.5e+10, +Inf.
 * @returns the text of the double from `attributeText`; undefined when `text` is not in this form, or both texts are
 * equal
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
