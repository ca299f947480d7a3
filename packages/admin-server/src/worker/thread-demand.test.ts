import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { type GrowingThreads, startThreadsOnDemand } from "./thread-demand.ts";

beforeEach(() => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
});

/** Threads that serve immediately, unless `holds` is set. */
class FakeThreads implements GrowingThreads {
  size = 1;
  areAllServing = true;
  /** Part of the time that each thread works; later threads work as much as the first one. */
  busy = [0];
  /** Limit of the system. */
  allowed = 5;
  holds = false;
  /** Called when the further threads serve. */
  serve: (() => void) | undefined;

  utilization(): ReadonlyMap<number, number> {
    const numbers = Array.from({ length: this.size }, (_, index) => index);
    return new Map(numbers.map((index) => [index + 1, this.busy[index] ?? this.busy[0] ?? 0]));
  }

  async growTo(size: number): Promise<void> {
    this.size = Math.min(size, this.allowed);
    if (this.holds) {
      await new Promise<void>((resolve) => {
        this.serve = resolve;
      });
    }
  }
}

function start(most: number) {
  const threads = new FakeThreads();
  const shares: [readonly number[], number][] = [];
  onTestFinished(startThreadsOnDemand(threads, most, (numbers, part) => shares.push([numbers, part])));
  return { threads, shares };
}

test("threads double while they are busy, and share their connections each time", async () => {
  const { threads, shares } = start(5);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(threads.size).toBe(1);
  threads.busy = [0.4];
  await vi.advanceTimersByTimeAsync(60_000);
  expect(threads.size).toBe(1);
  threads.busy = [0.6];
  await vi.advanceTimersByTimeAsync(250);
  expect(threads.size).toBe(2);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(threads.size).toBe(5);
  expect(shares).toEqual([
    [[1], 0.5],
    [[1, 2], 0.5],
    [[1, 2, 3, 4], 1 - 4 / 5],
  ]);
  expect(vi.getTimerCount()).toBe(0); // nothing is left to look for
});

test("while threads start, or a config is on its way, no more start", async () => {
  const { threads, shares } = start(5);
  threads.busy = [1];
  threads.holds = true;
  await vi.advanceTimersByTimeAsync(5_000);
  expect([threads.size, shares]).toEqual([2, []]);
  threads.areAllServing = false;
  threads.serve?.();
  await vi.advanceTimersByTimeAsync(5_000);
  expect([threads.size, shares]).toEqual([2, [[[1], 0.5]]]);
  threads.areAllServing = true;
  await vi.advanceTimersByTimeAsync(250);
  expect(threads.size).toBe(4);
});

test("the busiest shares again while another thread has next to nothing, but not for ever", async () => {
  const { threads, shares } = start(2);
  threads.busy = [0.9, 0.1];
  await vi.advanceTimersByTimeAsync(250 + 1_000);
  expect(shares).toEqual([
    [[1], 0.5],
    [[1], 0.5],
  ]);
  threads.busy = [0.1, 0.9];
  await vi.advanceTimersByTimeAsync(1_000);
  expect(shares[2]).toEqual([[2], 0.5]);
  threads.busy = [0.9, 0.4];
  await vi.advanceTimersByTimeAsync(2_000);
  expect(shares).toHaveLength(3);
  threads.busy = [0.9, 0];
  await vi.advanceTimersByTimeAsync(600_000);
  expect(shares).toHaveLength(1 + 8);
  expect(vi.getTimerCount()).toBe(0);
});

test("connections are shared again also after the last threads took long to start", async () => {
  const { threads, shares } = start(2);
  threads.busy = [1, 0];
  threads.holds = true;
  await vi.advanceTimersByTimeAsync(10_000);
  expect([threads.size, shares]).toEqual([2, []]);
  threads.serve?.();
  await vi.advanceTimersByTimeAsync(2_500);
  expect(shares).toEqual([
    [[1], 0.5],
    [[1], 0.5],
    [[1], 0.5],
  ]);
});

test("nothing more is tried after the system refused a thread", async () => {
  const { threads, shares } = start(5);
  threads.busy = [1];
  threads.allowed = 1;
  await vi.advanceTimersByTimeAsync(60_000);
  expect([threads.size, shares, vi.getTimerCount()]).toEqual([1, [], 0]);
});
