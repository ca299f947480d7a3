// How a chain of processes (npm, a shell, bootstrap, launcher) ends as one, whichever of them is told to. Plain JavaScript for Node 20.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
const lookAgainMs = 500;

/** Exit code of a process that a signal ended, as shells tell it. */
export const exitCodes = { SIGHUP: 129, SIGINT: 130, SIGKILL: 137, SIGTERM: 143 };

/** Parent and name of a process; undefined where neither /proc nor ps tells. */
function processAbove(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [, name, parent] = /\((.*)\) \S+ (\d+)/s.exec(stat) ?? [];
    return { name, parent: Number(parent) };
  } catch {
    const { stdout } = spawnSync("ps", ["-o", "ppid=,comm=", "-p", String(pid)], { encoding: "utf8" });
    const [, parent, name] = /^\s*(\d+)\s+(\S+)/.exec(stdout ?? "") ?? [];
    return parent === undefined ? undefined : { name: name?.split("/").at(-1), parent: Number(parent) };
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/**
 * Calls back when npm, which started this process, is gone: it was killed, or did not pass on a signal.
 * Without npm the parent may well end earlier (`setsid`, a closed shell), so then nothing is watched.
 */
export function onLostNpm(callback) {
  // biome-ignore lint/suspicious/noUndeclaredEnvVars: npm sets it, and no task of turbo reads it.
  if (process.env.npm_lifecycle_event === undefined || process.platform === "win32") {
    return;
  }
  const parent = process.ppid;
  const watched = [parent];
  const above = processAbove(parent);
  // npm runs a script in a shell, which stays between the two where it does not replace itself.
  if (above !== undefined && /^(?:ba|da|z|k)?sh$/.test(above.name ?? "") && above.parent > 1) {
    watched.push(above.parent);
  }
  const timer = setInterval(() => {
    if (process.ppid === parent && watched.every(isAlive)) {
      return;
    }
    clearInterval(timer);
    callback();
  }, lookAgainMs);
  timer.unref();
}

/** Calls back for each signal that asks this process to end. @returns takes the handlers away */
export function onStopSignal(callback) {
  for (const signal of signals) {
    process.on(signal, callback);
  }
  return () => {
    for (const signal of signals) {
      process.off(signal, callback);
    }
  };
}
