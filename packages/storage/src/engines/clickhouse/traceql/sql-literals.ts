/**
 * A text as a literal of ClickHouse. Texts of a query stand in the statement rather than in its parameters, because those
 * travel in the address of the request, which is short.
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

/** A 64-bit int; the least one has no literal of its own. */
export function intLiteral(value: bigint): string {
  return value < 0n ? `toInt64('${value}')` : String(value);
}

/** A finite double, to the bit. */
export function floatLiteral(value: number): string {
  return `toFloat64('${value}')`;
}

/** @param hex digits only */
export function bytesLiteral(hex: string): string {
  if (!/^[0-9a-f]*$/.test(hex)) throw new Error(`"${hex}" is not hex`);
  return `unhex('${hex}')`;
}
