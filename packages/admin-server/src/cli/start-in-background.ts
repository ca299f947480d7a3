import { spawn } from "node:child_process";
import { once } from "node:events";
import { isSea } from "node:sea";
import type { Readable } from "node:stream";
import { StartError } from "lifecycle/errors";

/** First descriptor after the three standard ones. */
const readyFd = 3;

/** What starts this program again: an executable of its own, or node with the program. */
function ownProgram(): [file: string, args: string[]] {
  const [, program = ""] = process.argv;
  return [process.execPath, isSea() ? [] : [...process.execArgv, program]];
}

/**
 * Starts `server run` as a process that outlives this one, and waits until it runs.
 * @param readsInput it reads this process's standard input
 * @returns its process id. @throws StartError when it ended before it ran; it has told why on standard error
 */
export async function startInBackground(options: readonly string[], readsInput: boolean): Promise<number> {
  const [file, args] = ownProgram();
  const child = spawn(file, [...args, "run", `--ready-fd=${readyFd}`, ...options], {
    detached: true,
    stdio: [readsInput ? "inherit" : "ignore", "inherit", "inherit", "pipe"],
  });
  const ready = child.stdio[readyFd] as Readable;
  const told = once(ready, "data").then(() => true);
  // After the line, or with no line when the process is gone: whichever it was, `exit` says how it went.
  const ended = once(child, "exit").then(([code, signal]) => (code ?? signal) as number | string);
  const outcome = await Promise.race([told, ended]);
  if (outcome !== true) {
    throw new StartError(`start: the server ended at once, with ${outcome}: its messages stand above`);
  }
  ready.destroy();
  child.unref();
  return child.pid ?? 0;
}
