import type { HelpSubject } from "./help-text.ts";

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}

function code(text: string): string {
  return text === "" ? "" : `\`${cell(text)}\``;
}

/** The text of the command `docs`: commands and options of a process as a page of Markdown. */
export function markdownText({ name, description, commands, fields }: HelpSubject): string {
  return `${[
    `# ${name}`,
    "",
    description,
    "",
    "## Commands",
    "",
    "| Command | Meaning |",
    "|---|---|",
    ...commands.map(([command, meaning]) => `| ${code(command)} | ${cell(meaning)} |`),
    "",
    "## Options",
    "",
    "| Option | Environment | Value | Default | Meaning |",
    "|---|---|---|---|---|",
    ...fields.map(
      (field) =>
        `| ${code(`--${field.name}`)} | ${code(field.environmentName)} | ${code(field.placeholder)} | ` +
        `${code(field.defaultText ?? "")} | ${cell(field.description)} |`,
    ),
  ].join("\n")}\n`;
}
