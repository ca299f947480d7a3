/**
 * A text as a ClickHouse literal. Texts of a query are part of the statement, because parameters are sent in
 * the request's address, which must be short.
 */
export function textLiteral(text: string): string {
  return `'${escapedText(text)}'`;
}

/** The same without its quotes. */
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

/** A 64-bit int; the smallest one has no literal of its own. */
export function intLiteral(value: bigint): string {
  return value < 0n ? `toInt64('${value}')` : String(value);
}

/** A finite double, exact to the bit. */
export function floatLiteral(value: number): string {
  return `toFloat64('${value}')`;
}

/** @param hex digits only */
export function bytesLiteral(hex: string): string {
  if (!/^[0-9a-f]*$/.test(hex)) {
    throw new Error(`"${hex}" is not hex`);
  }
  return `unhex('${hex}')`;
}
