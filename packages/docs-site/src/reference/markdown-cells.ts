/**
 * Escapes a text for a cell of a Markdown table: `a|b` becomes `a\|b`, line breaks become spaces, and
 * `<name>` does not become HTML.
 */
export function cell(text: string): string {
  return text
    .replaceAll("|", "\\|")
    .replace(/\s*\n\s*/g, " ")
    .replace(/<(?=[a-z])/gi, "&lt;")
    .trim();
}

/** A row of a table. */
export function row(...cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

/** Code in a cell; "" for an empty text. */
export function code(text: string): string {
  return text === "" ? "" : `\`${text.replaceAll("|", "\\|")}\``;
}
