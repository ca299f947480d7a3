import { expect, test, vi } from "vitest";
import { releaseMemory } from "./release-memory.ts";

const mebibyte = 1024 * 1024;

test("memory is given back as soon as the thread is idle, and again when it has grown", () => {
  vi.useFakeTimers();
  try {
    let used = 20 * mebibyte;
    const collect = vi.fn(() => {
      used = 15 * mebibyte;
    });
    const busy = [0.9, 0.2, 0.01, 0];
    const end = releaseMemory({ collect, busy: () => busy.shift() ?? 0, usedBytes: () => used });
    vi.advanceTimersByTime(5_000);
    expect(collect).toHaveBeenCalledTimes(0);
    vi.advanceTimersByTime(1_000);
    expect(collect).toHaveBeenCalledTimes(1);
    used = 22 * mebibyte;
    vi.advanceTimersByTime(60_000);
    expect(collect).toHaveBeenCalledTimes(1);
    used = 24 * mebibyte;
    vi.advanceTimersByTime(2_000);
    expect(collect).toHaveBeenCalledTimes(2);
    end();
    used = 500 * mebibyte;
    vi.advanceTimersByTime(60_000);
    expect(collect).toHaveBeenCalledTimes(2);
  } finally {
    vi.useRealTimers();
  }
});

test("what a large process holds must grow by a part of it", () => {
  vi.useFakeTimers();
  try {
    let used = 400 * mebibyte;
    const collect = vi.fn();
    const end = releaseMemory({ collect, busy: () => 0, usedBytes: () => used });
    vi.advanceTimersByTime(2_000);
    used += 90 * mebibyte;
    vi.advanceTimersByTime(2_000);
    expect(collect).toHaveBeenCalledTimes(1);
    used += 20 * mebibyte;
    vi.advanceTimersByTime(2_000);
    expect(collect).toHaveBeenCalledTimes(2);
    end();
  } finally {
    vi.useRealTimers();
  }
});

test("V8 does what it is asked", async () => {
  const held = new WeakRef({ large: new Array(1_000).fill(0) });
  let end = releaseMemory();
  let asked = 0;
  // The object itself must not be compared, because a comparison would keep it in memory.
  const isGone = () => {
    // V8 collects only once while nothing grows: an object in use at that moment would stay.
    if (++asked % 10 === 0) {
      end();
      end = releaseMemory();
    }
    return held.deref() === undefined;
  };
  await expect.poll(isGone, { timeout: 50_000, interval: 500 }).toBe(true);
  end();
});
