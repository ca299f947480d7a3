// Bundled into every program: nothing but Node may be imported here, and little of that.
import { knownSinceMajor } from "./known-since-major.ts";
import type { Program } from "./program.ts";

/** Whether the command line is of a process that stays, for which a second start pays. */
function runsLong([first, ...rest]: readonly string[], { longCommands }: Program): boolean {
  const asks = [first, ...rest].some((arg) => arg === "--help" || arg === "-h" || arg === "--version");
  return !asks && (first === undefined || first.startsWith("-") || longCommands.includes(first));
}

/**
 * Starts this very process anew (its number, its sockets and its parent stay) with the options that its program asks
 * for, unless it has them, ends soon, or the platform cannot. Then it does not return.
 */
export function startAsAsked(program: Program): void {
  const { argv, execArgv, execPath, env, versions } = process;
  const isAsAsked =
    program.nodeOptions.every((option) => execArgv.includes(option)) &&
    Object.keys(program.environment).every((name) => env[name] !== undefined);
  if (
    isAsAsked ||
    process.connected || // the channel to the parent would be lost
    Number.parseInt(versions.node, 10) < knownSinceMajor ||
    process.platform === "win32" ||
    typeof process.execve !== "function" ||
    !runsLong(argv.slice(2), program)
  ) {
    return;
  }
  process.removeAllListeners("warning"); // that execve is experimental is no news here
  const isOneExecutable = process.getBuiltinModule("node:sea").isSea();
  const [node = "", script = "", ...args] = argv;
  process.execve(
    execPath,
    isOneExecutable ? [node, ...args] : [node, ...execArgv, ...program.nodeOptions, script, ...args],
    { ...program.environment, ...env },
  );
}

/**
 * Keeps what V8 compiles in a folder beside the program, so that the next start neither compiles it nor holds what only
 * compiling needs. Not in the system's folder for temporary files: who can write there could have any code run. Where the
 * folder cannot be written (and none came with the program) each start compiles.
 */
export function keepCompiled(programFolder: string): void {
  if (process.getBuiltinModule("node:sea").isSea()) return;
  process
    .getBuiltinModule("node:module")
    .enableCompileCache({ directory: `${programFolder}/.compile-cache`, portable: true });
}
