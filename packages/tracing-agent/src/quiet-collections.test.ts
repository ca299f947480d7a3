import { afterEach, expect, it, vi } from "vitest";
import { startQuietCollections } from "./quiet-collections.ts";

afterEach(() => {
  vi.useRealTimers();
});

it("collects at the start, and after a load, but not during it nor for little", () => {
  vi.useFakeTimers();
  let [packets, used, collections] = [0, 10_000_000, 0];
  const stop = startQuietCollections({
    packets: () => packets,
    usedBytes: () => used,
    collect: () => {
      collections++;
      used = 5_000_000;
    },
  });
  const next = (morePackets: number, moreBytes: number) => {
    packets += morePackets;
    used += moreBytes;
    vi.advanceTimersByTime(10_000);
    return collections;
  };
  expect(collections).toBe(1);
  expect(next(0, 1_000_000)).toBe(1);
  expect(next(500_000, 8_000_000)).toBe(1);
  expect(next(0, 0)).toBe(2);
  expect(next(10, 2_000_000)).toBe(2);
  expect(next(10, 1_000_000)).toBe(3);
  stop();
  expect(next(0, 9_000_000)).toBe(3);
});
