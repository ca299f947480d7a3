const integerPattern = /^[+-]?\d+$/;
const floatPattern = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/** Parses a decimal integer of at most `bits` bits. @throws Error `parsing "x": invalid syntax` */
export function parseInteger(text: string, bits = 64): number {
  if (!integerPattern.test(text)) {
    throw new Error(`parsing ${JSON.stringify(text)}: invalid syntax`);
  }
  const value = Number(text);
  const limit = 2 ** (bits - 1);
  if (value >= limit || value < -limit) {
    throw new Error(`parsing ${JSON.stringify(text)}: value out of range`);
  }
  return value || 0;
}

/** Parses a decimal number. @throws Error `parsing "x": invalid syntax` */
export function parseFloatingPoint(text: string): number {
  if (!floatPattern.test(text)) {
    throw new Error(`parsing ${JSON.stringify(text)}: invalid syntax`);
  }
  return Number(text);
}

/** Words for true. Source: Go, `strconv.ParseBool`, without 1 */
const trueWords = new Set(["t", "T", "TRUE", "true", "True"]);
/** Words for false, without 0. */
const falseWords = new Set(["f", "F", "FALSE", "false", "False"]);

/**
 * The value of an unquoted word of any type: a number, a boolean, or otherwise a text. `8080` is a number, `t` is true,
 * and `1e999` is a text, because no JavaScript number can represent it.
 */
export function parseScalar(text: string): string | number | boolean {
  if (floatPattern.test(text)) {
    const value = Number(text);
    return Number.isFinite(value) ? value || 0 : text;
  }
  return trueWords.has(text) ? true : falseWords.has(text) ? false : text;
}
