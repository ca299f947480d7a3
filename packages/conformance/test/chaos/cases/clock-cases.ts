import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { ChaosCase } from "../chaos-case.ts";
import { processNames } from "../chaos-processes.ts";

const jumpModule = fileURLToPath(new URL("../clock-jump.ts", import.meta.url));
/** The jump passes midnight at any time of day, because spans are stored by day. */
const jumpMs = 25 * 3_600_000;
/** The processes read the file of their clock every 50 ms. */
const seenMs = 200;

function jump(name: string, meaning: string, offsetMs: number): ChaosCase {
  let file = "";
  const set = async (offset: number) => {
    writeFileSync(file, String(offset));
    await sleep(seenMs);
  };
  return {
    name,
    meaning,
    settings: (scratch) => {
      file = join(scratch.folder(), "offset");
      writeFileSync(file, "0");
      const environment = { NODE_OPTIONS: `--require=${jumpModule}`, CLOCK_JUMP_FILE: file };
      return { environment: Object.fromEntries(processNames.map((process) => [process, environment])) };
    },
    harm: () => set(offsetMs),
    mend: () => set(0),
  };
}

/** The clocks of all processes jump forward and back; the clock of the engine inside of storage does not jump. */
export const clockCases: readonly ChaosCase[] = [
  jump("clock/forward", "the clock of every process jumps 25 hours ahead, and back", jumpMs),
  jump("clock/back", "the clock of every process jumps 25 hours back, and ahead again", -jumpMs),
];
