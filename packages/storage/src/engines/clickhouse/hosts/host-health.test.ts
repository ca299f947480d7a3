import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { HostHealth } from "./host-health.ts";

const urls = ["a", "b", "c"];
let health: HostHealth;
let changes: string[];
/** Servers that answer pings. */
let there: Set<number>;

beforeEach(() => {
  vi.useFakeTimers();
  changes = [];
  there = new Set([0, 1, 2]);
  health = new HostHealth({
    urls,
    ping: async (index) => {
      if (!there.has(index)) {
        throw new Error("no answer");
      }
    },
    onChange: (url, isUp, reason) => changes.push(`${url} ${isUp ? "up" : `away: ${reason}`}`),
  });
  changes = [];
});
afterEach(() => {
  health.close();
  vi.useRealTimers();
});

describe("HostHealth", () => {
  test("gives each its turn", () => {
    expect(Array.from({ length: 4 }, () => health.inTurn())).toEqual([
      [0, 1, 2],
      [1, 2, 0],
      [2, 0, 1],
      [0, 1, 2],
    ]);
    expect([health.inOrder(), health.inOrder()]).toEqual([
      [0, 1, 2],
      [0, 1, 2],
    ]);
  });

  test("puts those that are away last, and tells whoever waits for them", () => {
    const signal = health.awaySignal(0);
    health.failed(0, "refused");
    health.failed(0, "again");
    expect(signal.aborted).toBe(true);
    expect(health.inTurn()).toEqual([1, 2, 0]);
    expect(health.inOrder()).toEqual([1, 2, 0]);
    expect(changes).toEqual(["a away: refused"]);
  });

  test("takes one back as soon as it answers a ping, which comes at once, then ever later", async () => {
    there.delete(1);
    health.failed(1, "refused");
    // Looks at 0, 1, 3, 7, 15 and 31 seconds.
    await vi.advanceTimersByTimeAsync(15_500);
    there.add(1);
    await vi.advanceTimersByTimeAsync(15_000);
    expect(health.isUp(1)).toBe(false);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(health.isUp(1)).toBe(true);
    expect(health.awaySignal(1).aborted).toBe(false);
    health.failed(2, "a broken connection");
    await vi.advanceTimersByTimeAsync(1);
    expect(health.isUp(2)).toBe(true);
    expect(changes).toEqual(["b away: refused", "b up", "c away: a broken connection", "c up"]);
  });

  test("takes one back when a call is answered", () => {
    health.failed(0, "refused");
    health.answered(0);
    expect(health.isUp(0)).toBe(true);
  });

  test("finds out about one that answers nothing any more, after two pings in vain", async () => {
    await vi.advanceTimersByTimeAsync(1_600);
    there.delete(2);
    const signal = health.awaySignal(2);
    await vi.advanceTimersByTimeAsync(1_300);
    expect(health.isUp(2)).toBe(true);
    await vi.advanceTimersByTimeAsync(200);
    expect([health.isUp(2), signal.aborted]).toEqual([false, true]);
  });

  test("looks no more once closed", async () => {
    health.failed(0, "refused");
    health.close();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(health.isUp(0)).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });
});
