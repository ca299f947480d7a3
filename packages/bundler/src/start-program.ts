// This file is bundled into every program. It may import only a few parts of Node.
import { knownSinceMajor, oldestNodeMajor } from "./node-versions.ts";
import type { Program } from "./program.ts";

/** Ends this process with an error text when Node is too old. Node's own error would name no version. */
export function refuseOldNode(): void {
  const { version, versions, execPath } = process;
  if (Number.parseInt(versions.node, 10) >= oldestNodeMajor) {
    return;
  }
  process.stderr.write(
    `needs Node >= ${oldestNodeMajor}, and ${execPath} is ${version}: run it with a newer one\n`,
  );
  process.exit(1);
}

/** True when the command line starts a long-running process. Only such a process is worth a restart. */
function runsLong([first, ...rest]: readonly string[], { longCommands }: Program): boolean {
  const asks = [first, ...rest].some((arg) => arg === "--help" || arg === "-h" || arg === "--version");
  return !asks && (first === undefined || first.startsWith("-") || longCommands.includes(first));
}

/** True when the platform can start the process again, and the command is long-running. */
function canStartAnew(program: Program): boolean {
  return (
    !process.connected && // the channel to the parent would be lost
    Number.parseInt(process.versions.node, 10) >= knownSinceMajor &&
    process.platform !== "win32" &&
    typeof process.execve === "function" &&
    runsLong(process.argv.slice(2), program)
  );
}

/**
 * Replaces this process by a new start of the program. Process id, parent and inherited sockets stay the same. Does not
 * return.
 */
function startAnew({ nodeOptions, environment }: Program, added: Readonly<Record<string, string>>): void {
  const { argv, execArgv, execPath, env } = process;
  process.removeAllListeners("warning"); // hides the warning that execve is experimental
  const isOneExecutable = process.getBuiltinModule("node:sea").isSea();
  const [node = "", script = "", ...args] = argv;
  const missing = nodeOptions.filter((option) => !execArgv.includes(option));
  process.execve?.(
    execPath,
    isOneExecutable ? [node, ...args] : [node, ...execArgv, ...missing, script, ...args],
    { ...environment, ...env, ...added },
  );
}

/**
 * Restarts this process with the options of its program, and does not return. Returns when the process already has the
 * options, runs a short command, or cannot restart on this platform.
 */
export function startAsAsked(program: Program): void {
  const isAsAsked =
    program.nodeOptions.every((option) => process.execArgv.includes(option)) &&
    Object.keys(program.environment).every((name) => process.env[name] !== undefined);
  if (!isAsAsked && canStartAnew(program)) {
    startAnew(program, {});
  }
}

/** Environment variable that passes checked options from the first start to the second. */
const checkedOptionsName = "PROGRAM_CHECKED_OPTIONS";
/** Maximum number of bytes of the checked options, because Linux allows 128 KiB in one variable. */
const maxCheckedOptionsBytes = 100_000;

/**
 * Restarts this process to serve with checked options. Returns when the platform cannot restart it, or the options are
 * too long.
 * @param options JSON values. They are in the environment, which the process's user and root can read, like
 *   the command line. Programs with secret options must not use this function
 */
export function startChecked(program: Program, options: object): void {
  const text = JSON.stringify(options);
  if (Buffer.byteLength(text) <= maxCheckedOptionsBytes && canStartAnew(program)) {
    startAnew(program, { [checkedOptionsName]: text });
  }
}

/** The options from `startChecked`; undefined without `startChecked`, and from the second call on. */
export function takeCheckedOptions(): object | undefined {
  const { [checkedOptionsName]: text } = process.env;
  delete process.env[checkedOptionsName];
  return text === undefined ? undefined : (JSON.parse(text) as object);
}

/**
 * Keeps V8's compiled code in a folder beside the program, so that the next start does not compile.
 *
 * The folder is never the system's temporary folder: anyone who can write there could run code in this process. In a
 * folder that is not writable, each start compiles.
 */
export function keepCompiled(programFolder: string): void {
  if (process.getBuiltinModule("node:sea").isSea()) {
    return;
  }
  process
    .getBuiltinModule("node:module")
    .enableCompileCache({ directory: `${programFolder}/.compile-cache`, portable: true });
}
