import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { HostHealth } from "./host-health.ts";

const urls = ["a", "b", "c"];
let health: HostHealth;
let changes: string[];
/** Indexes of the servers that answer pings. */
let there: Set<number>;
/** Settles a ping to a server that answers. @param nth number of earlier pings to the same server */
let answer: (signal: AbortSignal, nth: number) => Promise<void>;

/** A ping without an answer. */
function never(signal: AbortSignal): Promise<void> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });
}

beforeEach(() => {
  vi.useFakeTimers();
  changes = [];
  there = new Set([0, 1, 2]);
  answer = async () => {};
  const sent = [0, 0, 0];
  health = new HostHealth({
    urls,
    ping: async (index, signal) => {
      const nth = sent[index]!++;
      if (!there.has(index)) {
        throw new Error("no answer");
      }
      await answer(signal, nth);
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
    // Checks happen at 0, 1, 3, 7, 15 and 31 seconds.
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

  test.each([0, 250, 499, 501, 999])("finds within 3 s a server that hangs after %s ms", async (ms) => {
    await vi.advanceTimersByTimeAsync(ms);
    answer = never;
    const signal = health.awaySignal(2);
    await vi.advanceTimersByTimeAsync(2_400);
    expect(health.isUp(2)).toBe(true);
    await vi.advanceTimersByTimeAsync(650);
    expect([health.isUp(2), signal.aborted]).toEqual([false, true]);
  });

  test("keeps a server whose answer takes two seconds, and one whose kept connection is broken", async () => {
    answer = (_, nth) => new Promise((resolve) => setTimeout(resolve, nth % 2 === 0 ? 2_000 : 60_000));
    await vi.advanceTimersByTimeAsync(10_000);
    answer = (signal, nth) => (nth % 2 === 0 ? never(signal) : Promise.resolve());
    await vi.advanceTimersByTimeAsync(10_000);
    expect(urls.map((_, index) => health.isUp(index))).toEqual([true, true, true]);
    expect(changes).toEqual([]);
  });

  test("looks no more once closed", async () => {
    health.failed(0, "refused");
    health.close();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(health.isUp(0)).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });
});
