import type { ChaosCase } from "../chaos-case.ts";
import { type ProcessName, processNames } from "../chaos-processes.ts";

function kill(name: ProcessName): ChaosCase {
  return {
    name: `kill/${name}`,
    meaning: `SIGKILL of ${name}, which is then started again`,
    // The second collector behaves like the first.
    isShort: name !== "collector-2",
    restarts: [name],
    harm: async ({ backend }) => {
      await backend.processes[name].end("SIGKILL");
    },
    mend: ({ backend }) => backend.processes[name].start(),
  };
}

function freeze(name: ProcessName): ChaosCase {
  return {
    name: `freeze/${name}`,
    meaning: `SIGSTOP of ${name}, then SIGCONT: its connections stay, and nothing is answered`,
    harm: async ({ backend }) => {
      process.kill(backend.processes[name].pid, "SIGSTOP");
    },
    mend: async ({ backend }) => {
      process.kill(backend.processes[name].pid, "SIGCONT");
    },
  };
}

/** The cases that kill each process, and the cases that freeze each process. */
export const processCases: readonly ChaosCase[] = [...processNames.map(kill), ...processNames.map(freeze)];
