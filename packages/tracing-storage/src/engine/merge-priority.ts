import { readdirSync, readFileSync } from "node:fs";
import { setPriority } from "node:os";

/** Name of the threads that merge and change parts. */
const mergeThreadName = "MergeMutate";

/**
 * With niceness 10, a merge gets a tenth of the time of a search or an insert on the same core, and all of it when
 * nothing else runs. The engine has a setting for this, but it works only for root.
 */
const mergeNiceness = 10;

/**
 * Gives searches and inserts priority over merges on the same core. Only for Linux: on other systems threads have no
 * separate niceness.
 */
export class MergePriority {
  #isLowered = false;

  /**
   * Lowers the priority of the merging threads. The engine starts all of them with its first table, so this must be
   * called after tables changed. After it has found them, it does nothing.
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
        // The sandbox forbids it: merges keep their priority.
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
