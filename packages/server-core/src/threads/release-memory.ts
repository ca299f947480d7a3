import { getHeapStatistics } from "node:v8";
import { collectGarbage } from "lifecycle/collect-garbage";

/** How long a thread is watched before it counts as idle, and how much of that it may have been at work. */
const watchedMs = 2_000;
const mostBusy = 0.05;
/** A collection is worth its time only when the heap grew by at least this much, and by at least this part, since the last one. */
const leastGrowthBytes = 8 * 1024 * 1024;
const leastGrowth = 0.25;

/** The inputs of {@link releaseMemory}; tests replace them. */
export interface ReleaseMeans {
  /** Runs a full collection of garbage. */
  readonly collect: () => void;
  /** Part of the time that this thread was at work since it was asked last, 0 to 1. */
  readonly busy: () => number;
  /** Memory that this thread holds, including garbage. */
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
 * Frees memory that this thread no longer needs. After the start that is a tenth of an idle server's memory;
 * later it is the remains of config changes and of ended loads. V8 alone would wait until as much again has
 * accumulated. It runs in idle time, so that no request waits; a thread that is always busy is left to V8.
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
