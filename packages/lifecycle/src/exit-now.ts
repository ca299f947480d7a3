import { existsSync } from "node:fs";
import { isSea } from "node:sea";

const shell = "/bin/sh";

/** A program that only exits, and its arguments: a shell, or Node in images without a shell. */
function exitingWith(code: number): [program: string, args: string[]] | undefined {
  if (existsSync(shell)) {
    return [shell, ["sh", "-c", `exit ${code}`]];
  }
  // A single executable file contains this program, so it cannot run code from its arguments.
  return isSea() ? undefined : [process.execPath, ["node", "-e", `process.exit(${code})`]];
}

/**
 * Ends this process with all its threads immediately. `process.exit` waits for running name lookups, which cannot be
 * cancelled. If a name server does not answer, that takes ten seconds or more. If a lookup is running, the process
 * therefore replaces itself with a program that only exits, on platforms that support this.
 */
export function exitNow(code: number): never {
  const isLookingUp = process.getActiveResourcesInfo().includes("GetAddrInfoReqWrap");
  if (isLookingUp && process.execve !== undefined && process.platform !== "win32") {
    const exiting = exitingWith(code);
    process.removeAllListeners("warning"); // hides the warning of Node that execve is experimental
    if (exiting !== undefined) {
      process.execve(...exiting, {});
    }
  }
  process.exit(code);
}
