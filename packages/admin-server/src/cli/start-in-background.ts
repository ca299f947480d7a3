import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { isSea } from "node:sea";
import { StartError } from "lifecycle/errors";
import { PingbackListener, pingbackVariable } from "./pingback.ts";

/** Number of bytes of the token, enough so that other processes cannot guess it. */
const tokenBytes = 32;

/** The command that starts this program again: its executable, or Node with the program's file. */
function ownProgram(): [file: string, args: string[]] {
  const [, program = ""] = process.argv;
  return [process.execPath, isSea() ? [] : [...process.execArgv, program]];
}

/**
 * Starts `server run` as a process that outlives this process, and waits until it runs.
 * @param readsInput true: the server reads this process's standard input
 * @returns the id of the new process. @throws StartError when the new process ended before it ran; it printed the
 * reason to standard error
 */
export async function startInBackground(options: readonly string[], readsInput: boolean): Promise<number> {
  const [file, args] = ownProgram();
  const token = randomBytes(tokenBytes).toString("hex");
  const pingback = new PingbackListener(token);
  const address = await pingback.open();
  const child = spawn(file, [...args, "run", `--pingback=${address}`, ...options], {
    detached: true,
    stdio: [readsInput ? "inherit" : "ignore", "inherit", "inherit"],
    env: { ...process.env, [pingbackVariable]: token },
  });
  const ended = once(child, "exit").then(([code, signal]) => (code ?? signal) as number | string);
  const outcome = await Promise.race([pingback.told, ended]);
  pingback.close();
  if (outcome !== true) {
    throw new StartError(`start: the server ended at once, with ${outcome}: its messages stand above`);
  }
  child.unref();
  return child.pid ?? 0;
}
