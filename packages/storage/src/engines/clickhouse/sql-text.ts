import { escapedText, textLiteral } from "./sql-literals.ts";

/** A text to search for. It is known when the statement is built, so its hash can be computed. */
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
