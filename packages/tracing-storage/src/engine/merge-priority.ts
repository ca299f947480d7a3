import { readdirSync, readFileSync } from "node:fs";
import { setPriority } from "node:os";

/** Name of the threads that merge and change parts. */
const mergeThreadName = "MergeMutate";

/**
 * With niceness 10, a merge gets a tenth of the processor time of a search or insert on the same core, and the whole
 * time on an idle core. The engine has a setting for this, but it only works for the user root.
 */
const mergeNiceness = 10;

/**
 * Gives searches and inserts priority over merges on the same core. This works only on Linux, because threads of other
 * systems have no separate niceness.
 */
export class MergePriority {
  #isLowered = false;

  /**
   * Lowers the priority of the merging threads. The engine starts all of these threads with its first table, so this
   * must be called after each change of tables. When the threads have been found once, further calls do nothing.
   */
  lower(): void {
    if (this.#isLowered) {
      return;
    }
    const threads = mergeThreads();
    for (const thread of threads) {
      try {
        setPriority(thread, mergeNiceness);
      } catch {
        // The sandbox forbids this, so merges keep their priority.
      }
    }
    this.#isLowered = threads.length > 0;
  }
}

/** Ids of the threads of this process that merge. */
function mergeThreads(): number[] {
  let threads: string[];
  try {
    threads = readdirSync("/proc/self/task");
  } catch {
    return [];
  }
  return threads.filter((thread) => nameOf(thread) === mergeThreadName).map(Number);
}

/** undefined when the thread has ended meanwhile */
function nameOf(thread: string): string | undefined {
  try {
    return readFileSync(`/proc/self/task/${thread}/comm`, "utf8").trim();
  } catch {
    return undefined;
  }
}
