import { setTimeout as sleep } from "node:timers/promises";
import { ask } from "../../../src/tracing-api/ask.ts";
import { SpanSenders } from "../../faults/span-senders.ts";
import type { ChaosCase, ChaosScene } from "../chaos-case.ts";
import type { ProcessName } from "../chaos-processes.ts";

const overloadMs = 10_000;
const heavyMs = 10_000;
const searchers = 4;

/** Runs ten times as many senders without pauses for a while. */
async function overload(
  { backend, ledger, random }: ChaosScene,
  ms: number,
  ballastBytes: number,
): Promise<void> {
  const more = new SpanSenders({
    ...{ addresses: backend.spanAddresses, ledger, random, lanesPerDoor: 10, pauseMs: 0, ballastBytes },
  });
  await sleep(ms);
  await more.stop();
}

/** Starts the processes that have ended, as a supervisor does. */
async function revive({ backend }: ChaosScene, names: readonly ProcessName[]): Promise<void> {
  for (const name of names) {
    if (!backend.processes[name].isRunning) {
      await backend.processes[name].start();
    }
  }
}

const overloadCase: ChaosCase = {
  name: "overload/ten-times",
  meaning: "ten times the senders, none of which pauses",
  holdMs: 0,
  harm: (scene) => overload(scene, overloadMs, 200),
  mend: async () => {},
};

const collectorMemory: ChaosCase = {
  name: "memory/collectors",
  meaning: "collectors with a heap of 48 MiB, storage away, and ten times the senders with large spans",
  settings: () => {
    const environment = { NODE_OPTIONS: "--max-old-space-size=48" };
    return {
      environment: { "collector-1": environment, "collector-2": environment },
      collectorOptions: ["--collector.journal.max-bytes", "4MiB"],
    };
  },
  holdMs: 0,
  restarts: ["storage"],
  harm: async (scene) => {
    await scene.backend.processes.storage.end("SIGKILL");
    await overload(scene, heavyMs, 4_000);
  },
  mend: (scene) => revive(scene, ["storage"]),
};

const storageMemory: ChaosCase = {
  name: "memory/storage",
  meaning:
    "an engine with little memory, ten times the senders with large spans, and searches at the same time",
  settings: () => ({ storageOptions: ["--storage.max-memory", "256MiB"] }),
  holdMs: 0,
  harm: async (scene) => {
    const end = new AbortController();
    const searching = Array.from({ length: searchers }, async () => {
      while (!end.signal.aborted) {
        const url = `${scene.backend.frontDoor}/api/traces?service=fault-test&limit=1000`;
        // A search may be refused for lack of memory; but no span may be lost.
        await ask(url, { signal: AbortSignal.timeout(heavyMs) }).catch(() => sleep(100));
      }
    });
    await overload(scene, heavyMs, 4_000);
    end.abort();
    await Promise.all(searching);
  },
  mend: async () => {},
};

/** Cases with more load than the limits allow. */
export const loadCases: readonly ChaosCase[] = [overloadCase, collectorMemory, storageMemory];
