// The program `tracing`. Exit codes:
//
// | code | meaning |
// |---|---|
// | 0 | success, also for a search without a match |
// | 1 | a request failed, a part of an export or import failed, or the program has a fault |
// | 2 | the command line is wrong: no request was sent, nothing was written |
// | 130 | SIGINT or SIGTERM ended it |
//
// Answers go to standard output, everything else to standard error.

import { parseArgs } from "node:util";
import { version } from "lifecycle/version";
import { CliError } from "./cli-error.ts";
import { type Command, OptionValues, type Streams } from "./command.ts";
import { commands } from "./commands/command-list.ts";
import { commonOptions } from "./common-options.ts";
import { completionFor } from "./completion.ts";
import { commandHelp, programHelp } from "./help.ts";
import { shownText } from "./output/table.ts";
import { write } from "./output/write.ts";
import { clientSettings, QueryClient } from "./query-client.ts";

/** Streams and environment variables of the program. A test passes other ones. */
export interface Surroundings extends Streams {
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Runs a command line. Never throws: for a CliError the program prints the message, for another error the stack, for
 * a bug report.
 * @returns the exit code
 */
export async function main(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { errors, output } = surroundings;
  // A reader such as `head` closes the pipe when it has read enough.
  output.on("error", () => {});
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  process.once("SIGINT", onSignal);
  process.once("SIGTERM", onSignal);
  try {
    return await run(args, surroundings, stop.signal);
  } catch (error) {
    if (stop.signal.aborted) {
      return 130;
    }
    const isKnown = error instanceof CliError;
    const told = isKnown ? error.message : ((error as Error).stack ?? String(error));
    // A message may quote a server's answer, whose escape sequences must not reach the terminal.
    await write(errors, `tracing: ${told.split("\n").map(shownText).join("\n")}\n`);
    return isKnown ? error.exitCode : 1;
  } finally {
    process.off("SIGINT", onSignal);
    process.off("SIGTERM", onSignal);
  }
}

/** Commands that are no `Command`: the help of the program describes them. */
const serverless: ReadonlySet<string> = new Set(["completion", "help", "version"]);

/**
 * Chooses the command. `help`, `version` and `completion` need no server, and therefore run before a client is created.
 * @throws CliError
 */
async function run(
  [name = "help", ...rest]: readonly string[],
  surroundings: Surroundings,
  signal: AbortSignal,
): Promise<number> {
  const { output } = surroundings;
  if (serverless.has(name) && rest.some((argument) => argument === "--help" || argument === "-h")) {
    await write(output, programHelp);
    return 0;
  }
  switch (name) {
    case "help":
    case "--help":
    case "-h":
      await write(output, rest[0] === undefined ? programHelp : commandHelp(commandOf(rest[0])));
      return 0;
    case "version":
    case "--version":
      await write(output, `tracing ${version.gitVersion}${version.gitCommit && ` ${version.gitCommit}`}\n`);
      return 0;
    case "completion":
      await write(output, completionFor(rest[0]));
      return 0;
  }
  const command = commandOf(name);
  const { operands, values } = parsed(command, rest);
  if (values.flag("help")) {
    await write(output, commandHelp(command));
    return 0;
  }
  const [least, most] = command.operandCounts;
  if (operands.length < least || operands.length > most) {
    throw new CliError(`usage: tracing ${command.name} ${command.operands}`.trimEnd(), 2);
  }
  const warn = (text: string) => surroundings.errors.write(`warning: ${shownText(text)}\n`);
  const client = new QueryClient(clientSettings(values, surroundings.environment, signal), warn);
  return command.run({ ...surroundings, operands, values, client, signal });
}

/** @throws CliError with exit code 2 for an unknown command */
function commandOf(name: string): Command {
  if (name.startsWith("-")) {
    throw new CliError(
      `options come behind the command: tracing search ${name}; tracing help lists the commands`,
      2,
    );
  }
  const command = commands.find((each) => each.name === name);
  if (command === undefined) {
    throw new CliError(`there is no command ${JSON.stringify(name)}; tracing help lists them`, 2);
  }
  return command;
}

/**
 * Divides arguments into options and operands, by the options of the command. `--` ends the options, so that a query
 * may begin with a dash.
 * @throws CliError with exit code 2 for an unknown option, a missing value, or a value that is not among the choices
 */
function parsed(
  command: Command,
  args: readonly string[],
): { operands: readonly string[]; values: OptionValues } {
  const options = { ...command.options, ...commonOptions };
  const config = Object.fromEntries(
    Object.entries(options).map(([name, { type, short, multiple = false, default: fallback }]) => [
      name,
      {
        type,
        multiple,
        ...(short === undefined ? {} : { short }),
        ...(fallback === undefined ? {} : { default: fallback }),
      },
    ]),
  );
  let result: {
    values: Record<string, string | boolean | (string | boolean)[] | undefined>;
    positionals: string[];
  };
  try {
    result = parseArgs({ args: [...args], options: config, allowPositionals: true });
  } catch (error) {
    throw new CliError(`${(error as Error).message}; tracing ${command.name} --help lists the options`, 2);
  }
  for (const [name, { choices }] of Object.entries(options)) {
    const value = result.values[name];
    if (choices !== undefined && typeof value === "string" && !choices.includes(value)) {
      throw new CliError(`--${name}: ${JSON.stringify(value)} is none of ${choices.join(", ")}`, 2);
    }
  }
  return { operands: result.positionals, values: new OptionValues(result.values) };
}
