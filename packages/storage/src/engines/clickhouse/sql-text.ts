import { escapedText, textLiteral } from "./sql-literals.ts";

/** A text to search for. It is known when the statement is made, so its hash can be computed. */
export interface SqlText {
  readonly text: string;
  /** An expression for the text, such as a query parameter; absent: the text becomes a literal. */
  readonly sql?: string;
}

/** An SQL expression for a text. */
export function sqlOf({ text, sql }: SqlText): string {
  return sql ?? textLiteral(text);
}

/**
 * An expression for the concatenation of texts: a literal if possible. ClickHouse needs 0.1 to 0.2 ms to
 * compute each expression that is no literal.
 * @param parts strings are escaped already, as in a literal
 */
export function concatenated(...parts: readonly (string | SqlText)[]): string {
  if (parts.every((part) => typeof part === "string" || part.sql === undefined)) {
    return `'${parts.map((part) => (typeof part === "string" ? part : escapedText(part.text))).join("")}'`;
  }
  return `concat(${parts.map((part) => (typeof part === "string" ? `'${part}'` : sqlOf(part))).join(", ")})`;
}
