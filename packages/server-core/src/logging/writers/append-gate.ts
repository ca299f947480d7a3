import type { SharedCounter } from "../../threads/shared-state.ts";
import type { AppendGate } from "./rolling-file.ts";

/**
 * Longest wait in milliseconds until the old side is empty. A thread that died while it appended never leaves its side.
 */
const maxWaitMs = 2_000;
const pauseMs = 2;

/**
 * A gate over all threads. Threads that enter are counted on one of two sides. To wait for the threads inside, a thread
 * switches the side and waits until the old side is empty; threads that enter later use the new side.
 * @param epoch its last bit is the number of the side that threads enter
 * @param sides two counters
 */
export function makeAppendGate(
  epoch: Pick<SharedCounter, "value" | "add">,
  sides: readonly Pick<SharedCounter, "value" | "add">[],
): AppendGate {
  return {
    enter() {
      for (;;) {
        const turn = epoch.value % 2;
        const side = sides[turn];
        side?.add(1);
        // If the side was switched in between, a waiting thread may already have seen the old side empty.
        if (epoch.value % 2 === turn) {
          return () => void side?.add(-1);
        }
        side?.add(-1);
      }
    },
    async settle() {
      const side = sides[epoch.value % 2];
      epoch.add(1);
      const until = performance.now() + maxWaitMs;
      while ((side?.value ?? 0) > 0 && performance.now() < until) {
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    },
  };
}
