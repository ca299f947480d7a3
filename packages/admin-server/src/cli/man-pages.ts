import type { Command, OptionDefinition } from "./command.ts";
import {
  commandsBelow,
  environmentTexts,
  exitCodesText,
  optionMeaning,
  signalsText,
  usageText,
} from "./help-text.ts";

/** Section of manuals for administration. */
const section = "8";

/** Escapes a line of text for the formatter of manual pages. */
function escaped(text: string): string {
  const safe = text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replaceAll("…", "...");
  return /^[.']/.test(safe) ? `\\&${safe}` : safe;
}

/** Text in bold, escaped. */
function bold(text: string): string {
  return `\\fB${escaped(text)}\\fR`;
}

/** Name of a page: `server-storage-export`, or `server` for "". */
function pageName(name: string): string {
  return ["server", ...name.split(" ").filter((word) => word !== "")].join("-");
}

/** Writes an option as a tagged paragraph of roff. */
function optionLines([name, option]: [string, OptionDefinition]): string[] {
  const short = option.short === undefined ? "" : `${bold(`-${option.short}`)}, `;
  const value = option.kind === "switch" ? "" : ` \\fI${escaped(option.value ?? "")}\\fR`;
  return [".TP", `${short}${bold(`--${name}`)}${value}`, `${escaped(optionMeaning(option))}.`];
}

/** Title and name of a page. */
function head(name: string, summary: string, version: string): string[] {
  return [
    `.TH "${pageName(name).toUpperCase()}" "${section}" "" "server ${escaped(version)}" "System Administration"`,
    ".SH NAME",
    `${escaped(pageName(name))} \\- ${escaped(summary)}`,
  ];
}

/** References to other pages. */
function seeAlso(names: readonly string[]): string[] {
  return [".SH SEE ALSO", names.map((name) => `${bold(pageName(name))}(${section})`).join(",\n")];
}

/** Writes the lines of a command's manual page. */
function commandPage(command: Command, commands: readonly Command[], version: string): string[] {
  const { name, summary, description = [], options, examples } = command;
  return [
    ...head(name, summary, version),
    ".SH SYNOPSIS",
    bold(usageText(command)),
    ".SH DESCRIPTION",
    `${escaped(summary)}.`,
    ...description.flatMap((paragraph) => [".PP", escaped(paragraph)]),
    ".SH OPTIONS",
    ...Object.entries(options).flatMap(optionLines),
    ".TP",
    `${bold("-h")}, ${bold("--help")}`,
    "Print help.",
    ".SH EXAMPLES",
    ...examples.flatMap(({ line, about }) => [".TP", bold(line), escaped(about)]),
    ...seeAlso(["", ...commandsBelow(commands, name).map((each) => each.name)]),
  ];
}

/** Writes the lines of the program's manual page. */
function programPage(commands: readonly Command[], version: string): string[] {
  return [
    ...head("", "web server and reverse proxy with a live admin API", version),
    ".SH SYNOPSIS",
    `${bold("server")} \\fIcommand\\fR [\\fIoptions\\fR]`,
    ".SH DESCRIPTION",
    escaped(
      "A web server and reverse proxy whose whole configuration is one live JSON document behind an admin API.",
    ),
    ".SH COMMANDS",
    ...commands.flatMap(({ name, summary }) => [".TP", bold(name), `${escaped(summary)}.`]),
    ".SH ENVIRONMENT",
    ...environmentTexts.flatMap(([name, meaning]) => [".TP", bold(name), escaped(meaning)]),
    ".SH SIGNALS",
    escaped(signalsText),
    ".SH EXIT STATUS",
    escaped(exitCodesText),
    ...seeAlso(commands.map(({ name }) => name)),
  ];
}

/** Manual pages by file name: one page for the program, and one for each command. */
export function manPages(commands: readonly Command[], version: string): Map<string, string> {
  const pages = new Map([[`server.${section}`, programPage(commands, version)]]);
  for (const command of commands) {
    pages.set(`${pageName(command.name)}.${section}`, commandPage(command, commands, version));
  }
  return new Map([...pages].map(([file, lines]) => [file, `${lines.join("\n")}\n`]));
}
