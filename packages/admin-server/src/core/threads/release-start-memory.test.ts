import { expect, test, vi } from "vitest";
import { releaseStartMemory } from "./release-start-memory.ts";

test("memory is given back once, as soon as the thread is idle", () => {
  vi.useFakeTimers();
  try {
    const collect = vi.fn();
    const busy = [0.9, 0.2, 0.01, 0];
    releaseStartMemory({ collect, busy: () => busy.shift() ?? 0 });
    vi.advanceTimersByTime(5_000);
    expect(collect).toHaveBeenCalledTimes(0);
    vi.advanceTimersByTime(1_000);
    expect(collect).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(60_000);
    expect(collect).toHaveBeenCalledTimes(1);
  } finally {
    vi.useRealTimers();
  }
});

test("V8 does what it is asked", async () => {
  const held = new WeakRef({ large: new Array(1_000).fill(0) });
  releaseStartMemory();
  // Not the object itself: what is compared is held.
  await expect.poll(() => held.deref() === undefined, { timeout: 30_000, interval: 500 }).toBe(true);
}, 40_000);
