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

/** A command of a program, for its own `--help`. */
export interface CommandSubject {
  /** The program and the command: `tracing-storage export`. */
  readonly name: string;
  /** One sentence about the command. */
  readonly meaning: string;
  /** Operands for the usage line; "" for none. */
  readonly operands: string;
  readonly fields: readonly OptionField[];
}

/** The text of `--help` after a command. Options of commands have no environment variables. */
export function commandHelpText({ name, meaning, operands, fields }: CommandSubject): string {
  const lines = [
    meaning,
    "",
    `Usage: ${[name, operands, "[--option value …]"].filter((part) => part !== "").join(" ")}`,
    "",
    "Options:",
    ...fields.map((field) => flagLine({ ...field, environmentName: "" })),
    "  --help\n        Print this text.",
  ];
  return `${lines.join("\n")}\n`;
}

function flagLine(field: OptionField): string {
  const value = field.placeholder === "" ? "" : ` <${field.placeholder}>`;
  const fallback =
    field.defaultText === undefined || (field.defaultText === "" && field.kind === "text")
      ? ""
      : ` (default ${field.defaultText})`;
  const variable = field.environmentName === "" ? "" : ` [${field.environmentName}]`;
  return `  --${field.name}${value}\n        ${field.description}${fallback}${variable}`;
}

/** The text of `--help`: usage, commands, and every option with its default and environment variable. */
export function helpText({ name, description, commands, fields }: HelpSubject): string {
  const lines = [
    description,
    "",
    `Usage: ${name} [command] [--option value …]`,
    "",
    "Commands:",
    ...commands.map(([command, meaning]) => `  ${`${command} `.padEnd(15)}${meaning}`),
    "",
    "A flag beats the environment variable in brackets, which beats --config-file, which beats the default.",
    "",
    "Options:",
    ...fields.map(flagLine),
  ];
  return `${lines.join("\n")}\n`;
}
