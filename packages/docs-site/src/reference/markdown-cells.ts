/**
 * A text as it stands in a cell of a table of Markdown: `a|b` becomes `a\|b`, line breaks become spaces, and
 * `<name>` is no HTML.
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

/** Code in a cell; nothing for no text. */
export function code(text: string): string {
  return text === "" ? "" : `\`${text.replaceAll("|", "\\|")}\``;
}
