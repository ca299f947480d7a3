// Not the whole package: `server version` is to be there at once.
import { StartError } from "lifecycle/errors";
import { exitCodes } from "lifecycle/stop-request";
import { version } from "lifecycle/version";
import { messageOf, ServerError } from "../core/errors.ts";

type Command = (args: readonly string[]) => Promise<number>;

async function printVersion(): Promise<number> {
  process.stdout.write(`${version.gitVersion}${version.gitCommit && ` ${version.gitCommit}`}\n`);
  return exitCodes.success;
}

async function printHelp(): Promise<number> {
  const { help } = await import("./help.ts");
  process.stdout.write(help);
  return exitCodes.success;
}

/** Every command: the one list. Each is loaded when it is asked for, so that small ones start fast. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  adapt: async () => (await import("./adapt-command.ts")).adaptCommand,
  fmt: async () => (await import("./fmt-command.ts")).fmtCommand,
  help: async () => printHelp,
  run: async () => (await import("./run-command.ts")).runCommand,
  stop: async () => (await import("./stop-command.ts")).stopCommand,
  validate: async () => (await import("./validate-command.ts")).validateCommand,
  version: async () => printVersion,
  "--version": async () => printVersion,
};

/** Runs a command line. @param args after the program's name. @returns the exit code */
export async function main(args: readonly string[]): Promise<number> {
  const [name = "help", ...rest] = args;
  try {
    if (args.includes("--help") || args.includes("-h")) {
      return await printHelp();
    }
    const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (load === undefined) {
      throw new StartError(`unknown command "${name}", see server --help`);
    }
    const command = await load();
    return await command(rest);
  } catch (error) {
    if (error instanceof StartError || error instanceof ServerError) {
      process.stderr.write(`server: ${messageOf(error)}\n`);
      return exitCodes.startFailed;
    }
    throw error;
  }
}
