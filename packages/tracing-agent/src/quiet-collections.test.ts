import { afterEach, expect, test, vi } from "vitest";
import { startQuietCollections } from "./quiet-collections.ts";

afterEach(() => {
  vi.useRealTimers();
});

test("collects at the start, and after a load or where packets are lost in it, but not otherwise nor for little", () => {
  vi.useFakeTimers();
  let [packets, lost, used, collections] = [0, 0, 10_000_000, 0];
  const stop = startQuietCollections({
    packets: () => packets,
    lost: () => lost,
    usedBytes: () => used,
    collect: () => {
      collections++;
      used = 5_000_000;
    },
  });
  const next = (morePackets: number, moreBytes: number, moreLost = 0) => {
    packets += morePackets;
    lost += moreLost;
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
  expect(next(500_000, 8_000_000, 9_000)).toBe(3);
  expect(next(500_000, 1_000_000, 11_000)).toBe(4);
  expect(next(500_000, 1_000_000, 11_000)).toBe(4);
  stop();
  expect(next(0, 9_000_000)).toBe(4);
});
