// Runs a command to its end; what asks this process to end meanwhile ends the command and all that it started.
// Plain JavaScript for Node 20.

import { spawn } from "node:child_process";
import { exitCodes, onStopSignal } from "./stop-with-parent.mjs";

const isWindows = process.platform === "win32";

/**
 * @param quiet keep the output and return it, in place of passing it through
 * @returns exit code and, when quiet, the output of both streams
 */
export function runChild(command, args, { quiet = false, ...options } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      stdio: ["ignore", quiet ? "pipe" : "inherit", quiet ? "pipe" : "inherit"],
      // A group of its own, to reach what it starts too. On Windows npm and pnpm are scripts of the shell.
      detached: !isWindows,
      shell: isWindows,
      ...options,
    });
    const end = (signal) => {
      try {
        if (isWindows) {
          child.kill();
        } else {
          process.kill(-child.pid, signal);
        }
      } catch {
        // It has ended by itself.
      }
      process.exit(exitCodes[signal] ?? 1);
    };
    const parentGone = () => end("SIGTERM");
    const quit = onStopSignal(end);
    process.on("disconnect", parentGone);
    const done = (status, output) => {
      quit();
      process.off("disconnect", parentGone);
      resolve({ status, output });
    };
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text) => {
        output += text;
      });
    }
    child.on("error", (error) => done(1, `${output}${error.message}\n`));
    child.on("close", (code) => done(code ?? 1, output));
  });
}
