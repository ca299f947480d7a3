import { getHeapStatistics } from "node:v8";
import { collectGarbage } from "lifecycle/collect-garbage";

/** What is unpacked of files and no longer needed may take so much memory. V8 on its own waits for 64 MiB, as it looks at its heap, in which they are small. */
const maxGarbageBytes = 12 * 1024 * 1024;

/** What a {@link garbageCollector} looks at and does; tests bring their own. */
export interface CollectorMeans {
  /** Of memory outside the heap that this thread's objects hold. */
  readonly heldBytes: () => number;
  readonly collect: () => void;
}

const thisThread: CollectorMeans = {
  heldBytes: () => getHeapStatistics().external_memory,
  collect: () => collectGarbage("regular"),
};

/**
 * @returns to be called when there is time for it: frees what was unpacked and is garbage, when it is much. Takes some milliseconds then.
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
