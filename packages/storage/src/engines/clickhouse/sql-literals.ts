/**
 * A text as a ClickHouse literal. Statements contain short texts of a query, because the request's address contains the
 * parameters and must be short.
 */
export function textLiteral(text: string): string {
  return `'${escapedText(text)}'`;
}

/** The text escaped as in a literal, without the quotes. */
export function escapedText(text: string): string {
  return text.replace(/[\\'\0\n\r\t]/g, (character) => escapes[character] ?? "");
}

const escapes: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "'": "\\'",
  "\0": "\\0",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};

/** Literal for a 64-bit integer. The smallest integer cannot be written as a plain number. */
export function intLiteral(value: bigint): string {
  return value < 0n ? `toInt64('${value}')` : String(value);
}

/** A finite double, exact to the bit. */
export function floatLiteral(value: number): string {
  return `toFloat64('${value}')`;
}

/** @param hex hexadecimal digits only */
export function bytesLiteral(hex: string): string {
  if (!/^[0-9a-f]*$/.test(hex)) {
    throw new Error(`"${hex}" is not hex`);
  }
  return `unhex('${hex}')`;
}
