import { existsSync } from "node:fs";

const shell = "/bin/sh";

/**
 * Ends this process, with all its threads, in this moment.
 *
 * `process.exit` waits for name lookups that are under way, which nothing can cancel: where a name server does not answer,
 * ten seconds and more, until whoever told the process to stop kills it. A process with such a lookup turns into a shell
 * that only exits; where there is none, it waits.
 */
export function exitNow(code: number): never {
  const isLookingUp = process.getActiveResourcesInfo().includes("GetAddrInfoReqWrap");
  if (isLookingUp && process.execve !== undefined && process.platform !== "win32" && existsSync(shell)) {
    process.removeAllListeners("warning"); // that execve is experimental is no news here
    process.execve(shell, ["sh", "-c", `exit ${code}`], {});
  }
  process.exit(code);
}
