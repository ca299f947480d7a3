// The command line of `server`:
//
// | result | exit code | output |
// |---|---|---|
// | done | the command's exit code, 0 | standard output |
// | a StartError or a ServerError | 1 | on standard error `server: ` with the reason, and for a config the faulty line |
// | any other error, which is a fault of the program | 1, set by Node | the stack on standard error |
//
// Small imports only: `server version` must be fast.
import { styleText } from "node:util";
import { StartError } from "lifecycle/errors";
import { exitCodes } from "lifecycle/stop-request";
import { messageOf, ServerError } from "server-core/errors";
import { didYouMean } from "./cli/nearest-word.ts";
import { readCommandLine, readOptions } from "./cli/read-options.ts";
import { commandNames, loadAllCommands, loadCommand } from "./commands/command-list.ts";

/** Short names of commands, as in Caddy. */
const shorthands: Readonly<Record<string, string>> = {
  "-h": "help",
  "--help": "help",
  "-v": "version",
  "--version": "version",
};

/** The command at the start of a command line; a command of two words takes precedence. */
function commandIn([first = "help", second = ""]: readonly string[]): string {
  const name = shorthands[first] ?? first;
  const both = `${name} ${second}`;
  return commandNames.includes(both) ? both : name;
}

/** The error for an unknown command, with a suggestion. */
function unknownCommand(name: string): StartError {
  return new StartError(
    `unknown command "${name}"${didYouMean(name, commandNames)}${name.length > 64 ? "" : " (see server --help)"}`,
  );
}

/**
 * Prints the help of a group such as `storage`. @throws StartError for an unknown subcommand
 */
async function printGroup(name: string, next: string | undefined): Promise<number> {
  if (next !== undefined && !["-h", "--help"].includes(next)) {
    throw unknownCommand(`${name} ${next}`);
  }
  const { commandsBelow, groupHelp } = await import("./cli/help-text.ts");
  process.stdout.write(groupHelp(name, commandsBelow(await loadAllCommands(), name)));
  return exitCodes.success;
}

/**
 * Finds the command and runs it. The order of steps matters: help is printed before any environment variable is read,
 * and `--envfile` is read before options are taken from variables. @throws StartError, ServerError
 */
async function runCommandLine(args: readonly string[]): Promise<number> {
  const name = commandIn(args);
  const rest = args.slice(name.split(" ").length);
  const command = await loadCommand(name);
  if (command === undefined) {
    if (commandNames.some((each) => each.startsWith(`${name} `))) {
      return printGroup(name, rest[0]);
    }
    throw unknownCommand(name);
  }
  const line = readCommandLine(command, rest);
  if (line.help) {
    const { commandHelp, commandsBelow } = await import("./cli/help-text.ts");
    process.stdout.write(commandHelp(command, commandsBelow(await loadAllCommands(), name)));
    return exitCodes.success;
  }
  const files = line.given.get("envfile");
  if (files !== undefined && Object.hasOwn(command.options, "envfile")) {
    const { loadEnvironmentFiles } = await import("./cli/environment-file.ts");
    await loadEnvironmentFiles(files.flatMap((each) => each.split(",")));
  }
  return command.run(readOptions(command, line, process.env), line.operands, {
    names: commandNames,
    all: loadAllCommands,
  });
}

/** Prints the reason of a failure in one line, and for a config the faulty line. */
function printError(error: Error): void {
  const excerpt = "excerpt" in error && typeof error.excerpt === "string" ? error.excerpt : "";
  process.stderr.write(
    `${styleText("red", "server:", { stream: process.stderr })} ${messageOf(error)}\n${excerpt}`,
  );
}

/** Runs a command line. @param args words after the program's name. @returns the exit code */
export async function main(args: readonly string[]): Promise<number> {
  try {
    return await runCommandLine(args);
  } catch (error) {
    if (error instanceof StartError || error instanceof ServerError) {
      printError(error);
      return exitCodes.startFailed;
    }
    throw error;
  }
}
