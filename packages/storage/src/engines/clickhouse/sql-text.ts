/** A text to search for. The text is known when the statement is built, so that its hash can be computed. */
export interface SqlText {
  readonly text: string;
  /** SQL expression for the text, such as a query parameter. Absent: the text becomes a literal. */
  readonly sql?: string;
}

/** SQL expression for the text. */
export function sqlOf({ text, sql }: SqlText): string {
  return sql ?? textLiteral(text);
}

/**
 * SQL for the concatenation of texts, a literal if possible. ClickHouse needs 0.1 to 0.2 ms for each expression that is
 * not a literal.
 * @param parts strings are already escaped as in a literal
 */
export function concatenated(...parts: readonly (string | SqlText)[]): string {
  if (parts.every((part) => typeof part === "string" || part.sql === undefined)) {
    return `'${parts.map((part) => (typeof part === "string" ? part : escapedText(part.text))).join("")}'`;
  }
  return `concat(${parts.map((part) => (typeof part === "string" ? `'${part}'` : sqlOf(part))).join(", ")})`;
}

/**
 * Writes a text as a ClickHouse literal. Statements contain short texts of a query, because the request's address
 * contains the parameters and must be short.
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

/** Writes a finite double, exact to the bit. */
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
