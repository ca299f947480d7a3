import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** How long a thread is watched before it counts as idle, and how much of that it may have been at work. */
const watchedMs = 2_000;
const mostBusy = 0.05;

/**
 * Has V8 give back all that it can: garbage, and compiled code of functions that do nothing now. Those that run again are
 * compiled again then. Takes 15 to 30 ms of processor time.
 */
function collectAll(): void {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("globalThis.gc") as NodeJS.GCFunction | undefined;
  gc?.({ type: "major", flavor: "last-resort" });
}

/** What {@link releaseStartMemory} looks at and does; tests bring their own. */
export interface ReleaseMeans {
  readonly collect: () => void;
  /** Part of the time that this thread was at work since it was asked last, 0 to 1. */
  readonly busy: () => number;
}

function thisThread(): ReleaseMeans {
  let last = performance.eventLoopUtilization();
  return {
    collect: collectAll,
    busy() {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, last);
      last = now;
      return utilization;
    },
  };
}

/**
 * Gives back, once, what only the start of this thread needed: a tenth of what an idle server holds. Waits until the thread
 * has nothing to do, so that no request is kept waiting; a thread that is always at work keeps it.
 */
export function releaseStartMemory(means: ReleaseMeans = thisThread()): void {
  const timer = setInterval(() => {
    if (means.busy() <= mostBusy) {
      clearInterval(timer);
      means.collect();
    }
  }, watchedMs);
  timer.unref();
}
