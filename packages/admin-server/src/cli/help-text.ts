import type { Command, OptionDefinition } from "./command.ts";

/** Environment variables, for the program's help and its manual page. */
export const environmentTexts: readonly (readonly [variable: string, meaning: string])[] = [
  [
    "SERVER_ADMIN",
    'Address of the admin endpoint (default localhost:2019): host:port, unix//path/to.sock or fd/3. CADDY_ADMIN is read too; "admin.listen" in a configuration wins over it.',
  ],
  ["SERVER_WORKERS, LOG_LEVEL, LOG_ENCODING", "Stand for --workers, --log-level and --log-encoding of run."],
  [
    "XDG_CONFIG_HOME",
    "The last configuration is saved as server/autosave.json below it (default $HOME/.config).",
  ],
  [
    "XDG_DATA_HOME",
    "Certificates, authorities and the configurations that ran are kept in server below it (default $HOME/.local/share).",
  ],
  [
    "OTEL_…",
    "Where the tracing handler sends spans, and how: the standard OpenTelemetry variables (default http://localhost:4318).",
  ],
  ["NO_COLOR", "Without colours, also on a terminal."],
];

/** Effects of signals, for help and manual pages. */
export const signalsText =
  "SIGTERM and SIGINT stop gracefully (a second SIGINT at once), SIGQUIT at once, SIGUSR1 reads the file of --config again, unless the configuration was changed through the admin API since.";

/** Exit codes, for help and manual pages. */
export const exitCodesText =
  "0 done, or stopped as asked; 1 could not start, or the command failed; 2 forced to quit; 3 error while stopping.";

/** Line width of help texts; it does not depend on the terminal, because files and tests contain these texts too. */
const maxColumns = 110;

/** Wraps a text into lines. */
function wrap(text: string, indent: string, first = indent): string {
  const lines = [];
  let line = first;
  for (const word of text.split(" ")) {
    if (line.length + word.length + 1 > maxColumns && line.trim() !== "") {
      lines.push(line.trimEnd());
      line = indent;
    }
    line += `${word} `;
  }
  lines.push(line.trimEnd());
  return lines.join("\n");
}

/** Formats two columns; a text that is too long for the left column has a separate line. */
function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.min(30, Math.max(...rows.map(([left]) => left.length)));
  const indent = " ".repeat(width + 4);
  return rows
    .map(([left, right]) =>
      left.length > width
        ? `  ${left}\n${wrap(right, indent)}`
        : wrap(right, indent, `  ${left.padEnd(width)}  `),
    )
    .join("\n");
}

/** Text of an option, such as `--config <file>`. */
export function optionText(name: string, option: OptionDefinition): string {
  return option.kind === "switch" ? `--${name}` : `--${name} <${option.value}>`;
}

/** The meaning of an option, with its choices, its default and its environment variable. */
export function optionMeaning(option: OptionDefinition): string {
  const preset = option.defaultText ?? option.default;
  return [
    option.about,
    option.choices === undefined ? "" : `: ${option.choices.join(", ")}`,
    preset === undefined ? "" : ` (default ${preset})`,
    option.environment === undefined ? "" : ` [${option.environment}]`,
    option.kind === "list" || option.kind === "lines" ? "; may be given several times" : "",
  ].join("");
}

/** Usage of a command, such as `server run [options]`. */
export function usageText(command: Command): string {
  const options = Object.keys(command.options).length === 0 ? "" : " [options]";
  return `server ${command.name}${options}${command.operands === undefined ? "" : ` ${command.operands.usage}`}`;
}

/** Subcommands of a command: `storage export` for `storage`. */
export function commandsBelow(commands: readonly Command[], name: string): Command[] {
  return commands.filter((each) => each.name.startsWith(`${name} `));
}

/** The text of `server <command> --help`. @param below subcommands of the command */
export function commandHelp(command: Command, below: readonly Command[] = []): string {
  const options = Object.entries(command.options).map(([name, option]): [string, string] => [
    `${option.short === undefined ? "    " : `-${option.short}, `}${optionText(name, option)}`,
    optionMeaning(option),
  ]);
  return `${[
    wrap(command.summary, ""),
    ...(command.description ?? []).map((paragraph) => wrap(paragraph, "")),
    `Usage: ${usageText(command)}`,
    ...(below.length === 0 ? [] : [`Commands:\n${table(below.map(({ name, summary }) => [name, summary]))}`]),
    `Options:\n${table([...options, ["-h, --help", "Print this text"]])}`,
    `Examples:\n${command.examples.map(({ line, about }) => `  ${line}\n${wrap(about, "      ")}`).join("\n")}`,
  ].join("\n\n")}\n`;
}

/** The help text of a group of commands, such as `storage`. */
export function groupHelp(name: string, commands: readonly Command[]): string {
  return `Usage: server ${name} <command> [options]\n\nCommands:\n${table(
    commands.map((each) => [each.name, each.summary]),
  )}\n\nserver ${name} <command> --help says more about a command.\n`;
}

/** The text of `server --help`. */
export function programHelp(commands: readonly Command[]): string {
  return `${[
    "A web server and reverse proxy whose whole configuration is one live JSON document behind an admin API.",
    "Usage: server <command> [options]",
    `Commands:\n${table(commands.map(({ name, summary }) => [name, summary]))}`,
    "server <command> --help says more about a command, with examples.",
    `Environment:\n${table(environmentTexts)}`,
    wrap(`Signals: ${signalsText}`, ""),
    wrap(`Exit codes: ${exitCodesText}`, ""),
  ].join("\n\n")}\n`;
}
