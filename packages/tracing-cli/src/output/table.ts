export interface Column {
  readonly title: string;
  /** "right" for figures; absent: the left side. */
  readonly align?: "right";
}

/**
 * Replaces control characters and marks that change the direction of text by `�`. Texts come from traced programs: an
 * escape sequence in a span's name could write over the terminal.
 */
export function shownText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern must match them
  return text.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
}

/**
 * Rows in columns. A column is as wide as its longest text; two blanks separate columns.
 * @param width width of the terminal; longer lines are cut. Undefined or below 40: no limit
 */
export function tableText(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width?: number,
): string {
  const cells = [columns.map(({ title }) => title), ...rows.map((row) => row.map(shownText))];
  const widths = columns.map((_, index) => Math.max(...cells.map((row) => (row[index] ?? "").length)));
  const lines = cells.map((row) =>
    columns
      .map(({ align }, index) => {
        const text = row[index] ?? "";
        const space = widths[index] as number;
        return align === "right" ? text.padStart(space) : text.padEnd(space);
      })
      .join("  ")
      .trimEnd(),
  );
  return `${lines.map((line) => cutTo(line, width)).join("\n")}\n`;
}

/**
 * A line cut to a width, with `…` at its end. A width below 40 cuts nothing, because such a small terminal wraps
 * lines anyway.
 */
export function cutTo(line: string, width: number | undefined): string {
  return width === undefined || width < 40 || line.length <= width ? line : `${line.slice(0, width - 1)}…`;
}
