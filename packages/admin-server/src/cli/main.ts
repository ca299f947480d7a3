import { exitCodes, StartError, version } from "lifecycle";
import { messageOf, ServerError } from "../core/errors.ts";
import { help } from "./help.ts";
import { runCommand } from "./run-command.ts";
import { stopCommand } from "./stop-command.ts";

/** Runs a command line. @param args after the program's name. @returns the exit code */
export async function main(args: readonly string[]): Promise<number> {
  const [command = "help", ...rest] = args;
  const asksHelp = (arg: string) => arg === "--help" || arg === "-h";
  if (command === "help" || args.some(asksHelp)) {
    process.stdout.write(help);
    return exitCodes.success;
  }
  try {
    switch (command) {
      case "run":
        return await runCommand(rest);
      case "stop":
        return await stopCommand(rest);
      case "version":
      case "--version":
        process.stdout.write(`${version.gitVersion}${version.gitCommit && ` ${version.gitCommit}`}\n`);
        return exitCodes.success;
      default:
        throw new StartError(`unknown command "${command}", see server --help`);
    }
  } catch (error) {
    if (error instanceof StartError || error instanceof ServerError) {
      process.stderr.write(`server: ${messageOf(error)}\n`);
      return exitCodes.startFailed;
    }
    throw error;
  }
}
