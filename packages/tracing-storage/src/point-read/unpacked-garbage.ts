import { getHeapStatistics } from "node:v8";
import { collectGarbage } from "lifecycle/collect-garbage";

/**
 * Maximum number of decompressed bytes that may be unused before garbage is collected. V8 itself collects garbage only
 * after 64 MiB, because it measures its heap, in which buffers are small.
 */
const maxGarbageBytes = 12 * 1024 * 1024;

/** Functions that a {@link garbageCollector} uses; tests replace them. */
export interface CollectorMeans {
  /** Memory outside of the heap that this thread's objects use, in bytes. */
  readonly heldBytes: () => number;
  readonly collect: () => void;
}

const thisThread: CollectorMeans = {
  heldBytes: () => getHeapStatistics().external_memory,
  collect: () => collectGarbage("regular"),
};

/**
 * @returns a function that must be called in idle time. If there is much garbage, it frees the garbage, which takes
 * some milliseconds
 */
export function garbageCollector(means: CollectorMeans = thisThread): () => void {
  let leftBytes = means.heldBytes();
  return () => {
    const heldBytes = means.heldBytes();
    if (heldBytes - leftBytes <= maxGarbageBytes) {
      leftBytes = Math.min(leftBytes, heldBytes);
      return;
    }
    means.collect();
    leftBytes = means.heldBytes();
  };
}
