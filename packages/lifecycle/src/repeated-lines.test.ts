import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { RepeatedLines } from "./repeated-lines.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const error = 50;

test("the first lines of a window pass, the rest are told of at its end", () => {
  const heldBack: unknown[] = [];
  const lines = new RepeatedLines({
    most: 2,
    windowMs: 1_000,
    onHeldBack: (...told) => heldBack.push(told),
  });
  const passed = (message: string, times: number) =>
    Array.from({ length: times }, () => lines.passes(message, error)).filter(Boolean).length;
  expect([passed("a", 5), passed("b", 2)]).toEqual([2, 2]);
  expect(heldBack).toEqual([]);
  vi.advanceTimersByTime(1_000);
  expect(heldBack).toEqual([["a", 3, error]]);
  expect(passed("a", 1)).toBe(1);
  vi.advanceTimersByTime(5_000);
  expect(heldBack).toHaveLength(1);
});

test("ever new messages are not remembered without end, and pass", () => {
  const lines = new RepeatedLines({ most: 1, windowMs: 1_000, onHeldBack: () => {} });
  for (let each = 0; each < 5_000; each++) {
    expect(lines.passes(`message ${each}`, error)).toBe(true);
  }
  expect(lines.passes("message 1", error)).toBe(false);
  expect(lines.passes("message 4999", error)).toBe(true);
});
