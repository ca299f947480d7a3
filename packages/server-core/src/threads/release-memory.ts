import { getHeapStatistics } from "node:v8";
import { collectGarbage } from "lifecycle/collect-garbage";

/** How long a thread is watched before it counts as idle, and how much of that it may have been at work. */
const watchedMs = 2_000;
const mostBusy = 0.05;
/** Less than this on top of what the last collection left is not worth another one, nor is less than this part of it. */
const leastGrowthBytes = 8 * 1024 * 1024;
const leastGrowth = 0.25;

/** What {@link releaseMemory} looks at and does; tests bring their own. */
export interface ReleaseMeans {
  readonly collect: () => void;
  /** Part of the time that this thread was at work since it was asked last, 0 to 1. */
  readonly busy: () => number;
  /** What this thread holds, garbage included. */
  readonly usedBytes: () => number;
}

function thisThread(): ReleaseMeans {
  let last = performance.eventLoopUtilization();
  return {
    collect: () => collectGarbage("last-resort"),
    busy() {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, last);
      last = now;
      return utilization;
    },
    usedBytes() {
      const { used_heap_size, external_memory } = getHeapStatistics();
      return used_heap_size + external_memory;
    },
  };
}

/**
 * Gives back what this thread does not need any more: what its start has left, a tenth of what an idle server holds, and
 * later what changes of config and a load that is over have left. V8 on its own waits until as much again has piled up.
 * Done while the thread has nothing to do, so that no request is kept waiting; one that is always at work is left to V8.
 * @returns ends it
 */
export function releaseMemory(means: ReleaseMeans = thisThread()): () => void {
  let leftBytes = 0;
  const timer = setInterval(() => {
    const isIdle = means.busy() <= mostBusy;
    if (isIdle && means.usedBytes() - leftBytes > Math.max(leastGrowthBytes, leftBytes * leastGrowth)) {
      means.collect();
      leftBytes = means.usedBytes();
    }
  }, watchedMs);
  timer.unref();
  return () => clearInterval(timer);
}
