import { existsSync } from "node:fs";
import { isSea } from "node:sea";

const shell = "/bin/sh";

/** A program that only exits, and its arguments: a shell, or Node where there is none, as in our images. */
function exitingWith(code: number): [program: string, args: string[]] | undefined {
  if (existsSync(shell)) return [shell, ["sh", "-c", `exit ${code}`]];
  // One executable file is our own program and knows no code to run.
  return isSea() ? undefined : [process.execPath, ["node", "-e", `process.exit(${code})`]];
}

/**
 * Ends this process, with all its threads, in this moment.
 *
 * `process.exit` waits for name lookups that are under way, which nothing can cancel: where a name server does not answer,
 * ten seconds and more, until whoever told the process to stop kills it. A process with such a lookup turns into a program
 * that only exits, where the platform can do that.
 */
export function exitNow(code: number): never {
  const isLookingUp = process.getActiveResourcesInfo().includes("GetAddrInfoReqWrap");
  if (isLookingUp && process.execve !== undefined && process.platform !== "win32") {
    const exiting = exitingWith(code);
    process.removeAllListeners("warning"); // that execve is experimental is no news here
    if (exiting !== undefined) process.execve(...exiting, {});
  }
  process.exit(code);
}
