import type { OptionField } from "./option-field.ts";

/** The program that `--help` describes. */
export interface HelpSubject {
  /** The name that the user types. */
  readonly name: string;
  /** One or two sentences for the top of the help. */
  readonly description: string;
  /** Words that the user may type before the flags. */
  readonly commands: readonly (readonly [name: string, meaning: string])[];
  /** Flags of the program, in the order of the help. */
  readonly fields: readonly OptionField[];
}

function flagLine(field: OptionField): string {
  const value = field.placeholder === "" ? "" : ` <${field.placeholder}>`;
  const fallback =
    field.defaultText === undefined || (field.defaultText === "" && field.kind === "text")
      ? ""
      : ` (default ${field.defaultText})`;
  return `  --${field.name}${value}\n        ${field.description}${fallback} [${field.environmentName}]`;
}

/** The text of `--help`: usage, commands, and every option with its default and environment variable. */
export function helpText({ name, description, commands, fields }: HelpSubject): string {
  const lines = [
    description,
    "",
    `Usage: ${name} [command] [--option value …]`,
    "",
    "Commands:",
    ...commands.map(([command, meaning]) => `  ${command.padEnd(14)}${meaning}`),
    "",
    "A flag beats the environment variable in brackets, which beats --config-file, which beats the default.",
    "",
    "Options:",
    ...fields.map(flagLine),
  ];
  return `${lines.join("\n")}\n`;
}
