import { readdirSync, readFileSync } from "node:fs";
import { setPriority } from "node:os";

/** The name of the threads that merge and change parts. */
const mergeThreadName = "MergeMutate";

/**
 * With 10, a merge gets a tenth of the time of a search or an insert on the same core, and all of it when nothing
 * else runs. The engine has a setting for this, but it works for root only.
 */
const mergeNiceness = 10;

/** Lets searches and inserts go before merges on a core that both want. Linux only: elsewhere threads have no such numbers. */
export class MergePriority {
  #isLowered = false;

  /**
   * The engine starts all its merging threads with its first table. So this is called after tables changed, and does nothing once
   * it has found them.
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
        // The sandbox forbids it: merges run as before.
      }
    }
    this.#isLowered = threads.length > 0;
  }
}

/** Numbers of the threads of this process that merge. */
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
