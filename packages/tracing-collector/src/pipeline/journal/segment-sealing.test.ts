import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SegmentAge } from "./segment-sealing.ts";

const limits = { segmentRows: 1e6, segmentBytes: 1e9, segmentAgeMs: 500, busySegmentRows: 100 };
let old: number;

beforeEach(() => {
  vi.useFakeTimers();
  old = 0;
});

afterEach(() => {
  vi.useRealTimers();
});

/** Adds a number of rows every half second. @returns age in milliseconds at which the segment was old enough */
function ageOf(rowsPerTerm: readonly number[], busySegmentAgeMs?: number): number {
  const began = Date.now();
  const age = new SegmentAge(
    { ...limits, ...(busySegmentAgeMs !== undefined && { busySegmentAgeMs }) },
    () => {
      old = Date.now() - began;
    },
  );
  const segment = { rows: 0 };
  age.begin(segment);
  for (const rows of rowsPerTerm) {
    segment.rows += rows;
    vi.advanceTimersByTime(500);
    expect(age.isOldEnough).toBe(old > 0);
  }
  age.end();
  return old;
}

test("few rows are old after the first term", () => {
  expect(ageOf([99, 1_000, 1_000], 2_500)).toBe(500);
});

test("rows that come fast may gather longer, up to a limit", () => {
  expect(ageOf([100, 100, 100, 100, 100, 100], 2_500)).toBe(2_500);
  old = 0;
  expect(ageOf([100, 100, 100])).toBe(1_000);
});

test("the limit may end the last term early", () => {
  const began = Date.now();
  const age = new SegmentAge({ ...limits, busySegmentAgeMs: 750 }, () => {
    old = Date.now() - began;
  });
  const segment = { rows: 0 };
  age.begin(segment);
  segment.rows = 100;
  vi.advanceTimersByTime(749);
  expect(age.isOldEnough).toBe(false);
  vi.advanceTimersByTime(1);
  expect([age.isOldEnough, old]).toEqual([true, 750]);
});

test("… and no longer when they come slower", () => {
  expect(ageOf([10_000, 99, 10_000], 2_500)).toBe(1_000);
});

test("a sealed segment grows old no more", () => {
  const age = new SegmentAge(limits, () => old++);
  age.begin({ rows: 0 });
  age.end();
  vi.advanceTimersByTime(10_000);
  expect([age.isOldEnough, old]).toEqual([false, 0]);
});
