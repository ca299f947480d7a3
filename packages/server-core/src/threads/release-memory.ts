import { getHeapStatistics } from "node:v8";
import { collectGarbage } from "lifecycle/collect-garbage";

/** Time in milliseconds after which a thread may count as idle. `mostBusy` limits the busy share in this time. */
const watchedMs = 2_000;
const mostBusy = 0.05;
/**
 * Minimum growth of the heap since the last collection, in bytes. `leastGrowth` is the minimum growth as a share of the
 * heap.
 */
const leastGrowthBytes = 8 * 1024 * 1024;
const leastGrowth = 0.25;

/** Functions that {@link releaseMemory} uses; tests replace them. */
export interface ReleaseMeans {
  /** Runs a full garbage collection. */
  readonly collect: () => void;
  /** Share of the time since the last call in which this thread was busy, 0 to 1. */
  readonly busy: () => number;
  /** Memory that this thread uses, including garbage. */
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
 * Frees memory that this thread no longer needs. After the start, such memory is a tenth of an idle server's memory.
 * Later, it comes from config changes and past load. V8 alone would collect only after the garbage has doubled the
 * heap. The collection runs in idle time, so that no request waits for it. A thread that is always busy leaves the
 * collection to V8.
 * @returns a function that stops this
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
