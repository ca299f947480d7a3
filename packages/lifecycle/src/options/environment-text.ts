import type { OptionField } from "./option-field.ts";

/** The text of the command `env`: for every option its environment variable and its default. */
export function environmentText(fields: readonly OptionField[]): string {
  const rows = fields.map(({ name, environmentName, defaultText = "" }) => [
    environmentName,
    `--${name}`,
    defaultText,
  ]);
  const header = ["environment variable", "option", "default"];
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? "").length)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return `${[
    "Every option can be given as an environment variable: its name in upper case, other characters than",
    "letters and digits as underscores. A flag beats the environment.",
    "",
    line(header),
    ...rows.map(line),
  ].join("\n")}\n`;
}
