import { getHeapStatistics } from "node:v8";
import { collectGarbage } from "lifecycle/collect-garbage";

/**
 * Most unpacked bytes that may be garbage. V8 alone waits for 64 MiB, because it watches its heap, in which
 * buffers are small.
 */
const maxGarbageBytes = 12 * 1024 * 1024;

/** The inputs of a {@link garbageCollector}; tests replace them. */
export interface CollectorMeans {
  /** Memory outside the heap that this thread's objects hold. */
  readonly heldBytes: () => number;
  readonly collect: () => void;
}

const thisThread: CollectorMeans = {
  heldBytes: () => getHeapStatistics().external_memory,
  collect: () => collectGarbage("regular"),
};

/**
 * @returns a function to call in idle time: it frees unpacked garbage when there is much, which takes some
 *   milliseconds
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
