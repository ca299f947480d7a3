import type { Socket } from "node:net";
import { expect, test } from "vitest";
import type { ConnectionLimits } from "./connection-limits.ts";
import { bytesTaken, SendWatch } from "./send-watch.ts";

const limits = { writeIdleTimeoutMs: 100, writeMinRate: 0, maxWriteChunk: 10 } as ConnectionLimits;
/** One write of 1,000 bytes, of which the system has accepted `bytes`. */
const took = (bytes: number) =>
  bytesTaken({
    bytesWritten: 1_000,
    writableLength: 1_000,
    _handle: { bytesWritten: 1_000, writeQueueSize: 1_000 - bytes },
  } as unknown as Socket);

test("a client has the time for each piece, and who takes less in it is idle", () => {
  const watch = new SendWatch(0);
  expect(watch.isTooSlow(50, took(0), true, limits)).toBe(false);
  expect(watch.isTooSlow(90, took(10), true, limits)).toBe(false);
  expect(watch.isTooSlow(180, took(25), true, limits)).toBe(false);
  expect(watch.isTooSlow(279, took(34), true, limits)).toBe(false);
  expect(watch.isTooSlow(280, took(34), true, limits)).toBe(true);
  watch.begin(300);
  expect(watch.isTooSlow(390, took(34), true, limits)).toBe(false);
  expect(watch.isTooSlow(489, took(34), true, limits)).toBe(false);
  expect(watch.isTooSlow(490, took(34), true, limits)).toBe(true);
});

test("with pieces of one byte any progress counts", () => {
  const watch = new SendWatch(0);
  const bytewise = { ...limits, maxWriteChunk: 1 };
  for (const [at, bytes] of [
    [50, 0],
    [90, 1],
    [180, 2],
    [279, 2],
  ] as const) {
    expect(watch.isTooSlow(at, took(bytes), true, bytewise)).toBe(false);
  }
  expect(watch.isTooSlow(280, took(2), true, bytewise)).toBe(true);
});

test("who has nothing to take has time", () => {
  const watch = new SendWatch(0);
  expect(watch.isTooSlow(1_000, took(1), false, limits)).toBe(false);
  expect(watch.isTooSlow(2_000, took(1), false, limits)).toBe(false);
});

test("who takes less than the least rate is too slow, a response at a time", () => {
  const watch = new SendWatch(0);
  const rate = { ...limits, writeMinRate: 1_000 };
  expect(watch.isTooSlow(0, took(0), true, rate)).toBe(false);
  expect(watch.isTooSlow(90, took(10), true, rate)).toBe(false);
  expect(watch.isTooSlow(110, took(10), true, rate)).toBe(false);
  expect(watch.isTooSlow(111, took(10), true, rate)).toBe(true);
  watch.begin(200);
  expect(watch.isTooSlow(200, took(10), true, rate)).toBe(false);
});

test("a socket that tells no more is looked at by whole writes", () => {
  const watch = new SendWatch(0);
  const socket = (bytes: number) =>
    bytesTaken({ bytesWritten: 1_000, writableLength: 1_000 - bytes } as Socket);
  expect(watch.isTooSlow(90, socket(0), true, limits)).toBe(false);
  expect(watch.isTooSlow(150, socket(500), true, limits)).toBe(false);
  expect(watch.isTooSlow(250, socket(500), true, limits)).toBe(true);
});
