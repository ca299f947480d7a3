import type { Command, CommandOption } from "./command.ts";
import { commands } from "./commands/command-list.ts";
import { commonOptions } from "./common-options.ts";

/** The text of `tracing help`, and of `tracing` without arguments. */
export const programHelp = `Asks tracing-query from a terminal.

Usage: tracing <command> [operands] [options]

Commands:
${commands.map(({ name, meaning }) => `  ${name.padEnd(12)}${meaning}`).join("\n")}
  completion  Print the script that completes commands and options: completion bash, zsh or fish.
  version     Print the version.
  help        Print this text, or what a command does: help search.

Exit codes: 0 done, 1 something failed, 2 the command line is wrong.
`;

/** Two lines of an option: `  -n, --limit <count>`, then its meaning with the default. */
function optionLine([name, option]: readonly [string, CommandOption]): string {
  const short = option.short === undefined ? "" : `-${option.short}, `;
  const value =
    option.placeholder === undefined ? "" : ` <${option.choices?.join("|") ?? option.placeholder}>`;
  const fallback = option.default === undefined ? "" : ` (default ${option.default})`;
  return `  ${short}--${name}${value}\n        ${option.meaning}${fallback}`;
}

/** The text of `tracing <command> --help`. */
export function commandHelp({ name, operands, meaning, options, examples }: Command): string {
  return `${[
    meaning,
    "",
    `Usage: tracing ${name}${operands === "" ? "" : ` ${operands}`} [options]`,
    "",
    "Options:",
    ...Object.entries({ ...options, ...commonOptions }).map(optionLine),
    "",
    "Examples:",
    ...examples.map((example) => `  ${example}`),
  ].join("\n")}\n`;
}
