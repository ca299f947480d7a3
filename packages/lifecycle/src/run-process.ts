import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { StartError } from "./errors.ts";
import { exitNow } from "./exit-now.ts";
import { completionScript } from "./options/completion-script.ts";
import { environmentText } from "./options/environment-text.ts";
import { commandHelpText, type HelpSubject, helpText } from "./options/help-text.ts";
import { markdownText } from "./options/markdown-text.ts";
import { optionFields } from "./options/option-field.ts";
import { type OptionOrigin, type ParsedOptions, parseOptions } from "./options/parse-options.ts";
import { printStatus, statusAliases } from "./print-status.ts";
import type { ProcessCommand, ProcessDefinition } from "./process-definition.ts";
import { serveProcess } from "./serve-process.ts";
import { type ShellOptions, shellOptions } from "./shell-options.ts";
import { exitCodes } from "./stop-request.ts";
import { version } from "./version.ts";

const shellCommands = [
  ["run", "Start the process (the default)."],
  ["status", "Ask the admin port of a running process for its health; exit code 0 when it is available."],
  ["print-config", "Print every option, its value and where that comes from."],
  ["env", "Print the environment variable of every option."],
  ["docs", "Write all this as a page of Markdown, <process>.md, into the folder --dir (the current one)."],
  ["completion", "Print the script that completes commands and options: completion bash, zsh or fish."],
  ["version", "Print the version."],
  ["help", "Print this text."],
] as const;

const docsOptions = z.object({ dir: z.string().default("."), format: z.enum(["md"]).default("md") });

/** Writes the page of `docs`. @returns the text to print */
function writeDocs(subject: HelpSubject, args: readonly string[]): string {
  const { dir } = parseOptions(docsOptions, { arguments: args, environment: {} }).options;
  const path = join(dir, `${subject.name}.md`);
  try {
    writeFileSync(path, markdownText(subject));
  } catch (error) {
    throw new StartError(`docs: cannot write ${path}: ${(error as Error).message}`, { cause: error });
  }
  return `${path}\n`;
}

/** The output of a command without options, such as `version`. @returns undefined for any other command */
function commandText(command: string, args: readonly string[], subject: HelpSubject): string | undefined {
  if (command === "help" || args.includes("--help") || args.includes("-h")) {
    return helpText(subject);
  }
  if (command === "version" || args.includes("--version")) {
    return `${subject.name} ${version.gitVersion}${version.gitCommit && ` ${version.gitCommit}`}\n`;
  }
  switch (command) {
    case "env":
      return environmentText(subject.fields);
    case "docs":
      return writeDocs(subject, args);
    case "completion":
      return completionScript(args[0], subject);
    default:
      return undefined;
  }
}

/** @returns the help for `export --help`, `export -h` or `help export`; undefined for any other command line */
function ownHelp(
  program: string,
  own: readonly ProcessCommand[],
  command: string,
  args: readonly string[],
): string | undefined {
  const wanted = command === "help" ? args[0] : command;
  const found = own.find(({ name }) => name === wanted);
  const isWanted = command === "help" || args.includes("--help") || args.includes("-h");
  if (found === undefined || !isWanted) {
    return undefined;
  }
  const { name, meaning, operands = "", options } = found;
  return commandHelpText({ name: `${program} ${name}`, meaning, operands, fields: optionFields(options) });
}

function shown({ text, isSecret }: OptionOrigin): string {
  if (isSecret && text !== "") {
    return "***";
  }
  // Addresses may contain a user name and a password.
  return text.replace(/\/\/[^/\s,]*@/g, "//***@") || '""';
}

function printConfig(parsed: ParsedOptions<unknown>): void {
  const width = Math.max(...[...parsed.origins.keys()].map((name) => name.length));
  for (const [name, origin] of parsed.origins) {
    process.stdout.write(`${name.padEnd(width)}  ${shown(origin)}  (${origin.source})\n`);
  }
}

/**
 * Makes a program from a process definition: it reads the command line, runs the process until it must stop, and exits.
 * Exit codes: 0 stopped as requested, 1 could not start or continue, 2 ended by SIGINT during a stop, 3 error while
 * stopping.
 * @param startAnew called with the checked options before the process serves. It may restart the program and call
 * `serveProcess` (`lifecycle/serve`), without the libraries that only the check of options needs. If `startAnew`
 * returns, this process runs the definition itself.
 */
export async function runProcess<Shape extends z.ZodRawShape>(
  definition: ProcessDefinition<Shape>,
  startAnew?: (options: object) => void,
): Promise<never> {
  const [first, ...rest] = process.argv.slice(2);
  const command = first === undefined || first.startsWith("-") ? "run" : first;
  const args = command === "run" && first !== "run" ? process.argv.slice(2) : rest;
  const schema = z.object({ ...definition.options.shape, ...shellOptions(definition.adminHostPort).shape });
  const { name, description } = definition;
  const own = definition.commands ?? [];
  const commands = [...shellCommands, ...own.map(({ name, meaning }) => [name, meaning] as const)];
  const subject = { name, description, commands, fields: optionFields(schema) };

  let parsed: ParsedOptions<ShellOptions & z.infer<z.ZodObject<Shape>>>;
  try {
    if (!commands.some(([known]) => known === command)) {
      throw new StartError(`unknown command "${command}", see ${name} --help`);
    }
    const help = ownHelp(name, own, command, args);
    if (help !== undefined) {
      process.stdout.write(help);
      process.exit(exitCodes.success);
    }
    const ownCommand = own.find(({ name }) => name === command);
    if (ownCommand !== undefined) {
      process.exit(await ownCommand.run(args));
    }
    const text = commandText(command, args, subject);
    if (text !== undefined) {
      process.stdout.write(text);
      process.exit(exitCodes.success);
    }
    parsed = parseOptions(schema, {
      arguments: args,
      environment: process.env,
      aliases: { ...definition.aliases, ...(command === "status" ? statusAliases : {}) },
    }) as typeof parsed;
  } catch (error) {
    process.stderr.write(`${name}: ${error instanceof StartError ? error.message : String(error)}\n`);
    process.exit(exitCodes.startFailed);
  }

  if (command === "print-config") {
    printConfig(parsed);
    process.exit(exitCodes.success);
  }
  if (command === "status") {
    process.exit(await printStatus(parsed.options));
  }
  startAnew?.(parsed.options);
  exitNow(await serveProcess(definition, parsed.options));
}
