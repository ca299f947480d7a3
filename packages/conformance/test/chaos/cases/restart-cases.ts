import { setTimeout as sleep } from "node:timers/promises";
import { type Random, randomOf } from "../../faults/seeded-random.ts";
import type { ChaosCase } from "../chaos-case.ts";
import { type ProcessName, processNames } from "../chaos-processes.ts";

const maxPauseMs = 1_000;

function shuffled(names: readonly ProcessName[], random: Random): ProcessName[] {
  const left = [...names];
  return names.flatMap(() => left.splice(random(left.length), 1));
}

/** @param number number of the case; its seed decides the order of the restarts */
function restart(number: number): ChaosCase {
  let random = randomOf(number);
  return {
    name: `restart/order-${number}`,
    meaning: "all processes end one after another, some of them killed, and start again, in random orders",
    restarts: processNames,
    harm: async (scene) => {
      random = randomOf(scene.random(2 ** 30) + number);
      for (const name of shuffled(processNames, random)) {
        await scene.backend.processes[name].end(random(2) === 0 ? "SIGKILL" : "SIGTERM");
        await sleep(random(maxPauseMs));
      }
    },
    mend: async ({ backend }) => {
      const starts: Promise<void>[] = [];
      for (const name of shuffled(processNames, random)) {
        starts.push(backend.processes[name].start());
        await sleep(random(maxPauseMs));
      }
      await Promise.all(starts);
    },
  };
}

/** All processes are restarted in a random order. */
export const restartCases: readonly ChaosCase[] = [1, 2, 3].map(restart);
