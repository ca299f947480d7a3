import { doubleText } from "./attribute-text.ts";

/** Go's `%g` with ten digits, in the form with an exponent; without an exponent it equals `attributeText`. */
const withExponent = /^-?[1-9](\.\d{0,8}[1-9])?e[+-]\d{2,3}$/;
/** Exponents of numbers that `%g` writes without one. */
const leastPlain = -4;
const mostPlain = 9;

/**
 * Tag search of the public model compares doubles as Go's `%.10g` writes them: 1e-07, 1.5e+10, +Inf.
 * @returns the text that `attributeText` gives the double which `text` is in that form; undefined when it is none, or the
 *   same text
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
