import { expect, test } from "vitest";
import { CountRing } from "./count-ring.ts";
import { ObjectiveCounts } from "./objective-counts.ts";
import type { CountedTime } from "./traceql-counts.ts";

const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const nowMs = 20_000 * dayMs + 10 * hourMs + 30 * minuteMs + 12_345;

/** Counts of a store with `perMinute` spans in each minute, a tenth of them bad. */
function counted({ startUnixMs, endUnixMs, stepMs }: CountedTime, perMinute = 10) {
  return Array.from({ length: Math.ceil((endUnixMs - startUnixMs) / stepMs) }, (_, step) => {
    const length = Math.min(stepMs, endUnixMs - startUnixMs - step * stepMs);
    const total = (length / minuteMs) * perMinute;
    return { step, total, good: total * 0.9 };
  });
}

function readNew(counts: ObjectiveCounts, atMs: number, perMinute?: number): CountedTime {
  const time = counts.nextNew(atMs);
  if (time === undefined) {
    throw new Error("nothing to read");
  }
  counts.addNew(time, counted(time, perMinute));
  return time;
}

test("new minutes come first, then history in slices, the newest first", () => {
  const counts = new ObjectiveCounts(30 * dayMs);
  expect(counts.nextOld()).toBeUndefined();
  expect(counts.last(5)).toBeUndefined();
  const first = readNew(counts, nowMs);
  expect(first).toEqual({
    startUnixMs: 20_000 * dayMs + 4 * hourMs,
    endUnixMs: 20_000 * dayMs + 10 * hourMs + 30 * minuteMs,
    stepMs: minuteMs,
  });
  expect(counts.last(5)).toEqual({ total: 50, bad: 5 });
  expect(counts.last(360)?.total).toBe(3_600);
  expect(counts.last(4_320)).toBeUndefined();
  expect(counts.isComplete).toBe(false);
  const slices: number[] = [];
  for (let time = counts.nextOld(); time !== undefined; time = counts.nextOld()) {
    slices.push((time.endUnixMs - time.startUnixMs) / hourMs);
    counts.addOld(time, counted(time), slices.length === 1 ? 5_000 : 10);
  }
  // After a slow read the next slice is shorter; after quick reads it is longer.
  expect(slices).toEqual([24, 12, 24, 48, 96, 192, 192, 125]);
  expect(counts.isComplete).toBe(true);
  // 720 hours; the last hour is half full.
  const { total, bad } = counts.window();
  expect(total).toBe(719 * 600 + 300);
  expect(bad / total).toBeCloseTo(0.1, 12);
  expect(counts.last(4_320)?.total).toBe(71 * 600 + 300);
});

test("a round reads the last minutes again, and in a new hour the two before", () => {
  const counts = new ObjectiveCounts(dayMs);
  readNew(counts, nowMs);
  expect(counts.nextNew(nowMs + 1_000)).toBeUndefined();
  const startOf = (atMs: number) => ((readNew(counts, atMs).startUnixMs % dayMs) / hourMs).toFixed(2);
  expect(startOf(nowMs + minuteMs)).toBe("10.00");
  expect(startOf(nowMs + 31 * minuteMs)).toBe("8.00");
  expect(startOf(nowMs + 32 * minuteMs)).toBe("10.00");
  expect(startOf(nowMs + 50 * minuteMs)).toBe("10.00");
  expect(startOf(nowMs + 51 * minuteMs)).toBe("11.00");
});

test("spans that were counted are replaced, not added", () => {
  const counts = new ObjectiveCounts(dayMs);
  readNew(counts, nowMs);
  const before = counts.window();
  readNew(counts, nowMs + minuteMs, 20);
  expect(counts.window().total).toBe(before.total + 31 * 20 - 300);
});

test("after a long silence of the store, history is read again", () => {
  const counts = new ObjectiveCounts(dayMs);
  readNew(counts, nowMs);
  for (let time = counts.nextOld(); time !== undefined; time = counts.nextOld()) {
    counts.addOld(time, counted(time), 1);
  }
  // The burn rate of three days needs more than the window of a day.
  expect([counts.isComplete, counts.last(4_320)?.total]).toEqual([true, 71 * 600 + 300]);
  readNew(counts, nowMs + 10 * hourMs);
  expect([counts.isComplete, counts.last(4_320)]).toEqual([false, undefined]);
  expect(counts.nextOld()?.endUnixMs).toBe(20_000 * dayMs + 14 * hourMs);
  // A slice that was requested before the pause no longer fits, and is ignored.
  counts.addOld({ startUnixMs: 0, endUnixMs: hourMs, stepMs: hourMs }, [{ step: 0, total: 1, good: 1 }], 1);
  expect(counts.isComplete).toBe(false);
});

test("good spans never outnumber spans, whatever copies do", () => {
  const counts = new ObjectiveCounts(dayMs);
  const time = counts.nextNew(nowMs) as CountedTime;
  counts.addNew(time, [
    { step: 380, total: 5, good: 7 },
    { step: 381, total: -2, good: 0 },
  ]);
  expect(counts.window()).toEqual({ total: 5, bad: 0 });
});

test("a ring forgets the slots that it is too short for", () => {
  const ring = new CountRing(3);
  for (let slot = 10; slot < 15; slot++) {
    ring.put(slot, { total: slot, bad: 1 });
  }
  expect(ring.sum(0, 99)).toEqual({ total: 12 + 13 + 14, bad: 3 });
  ring.put(10, { total: 1_000, bad: 0 });
  ring.put(16, { total: 16, bad: 0 });
  expect(ring.sum(0, 99)).toEqual({ total: 14 + 16, bad: 1 });
  ring.put(1_000, { total: 1, bad: 0 });
  expect(ring.sum(0, 2_000)).toEqual({ total: 1, bad: 0 });
});
