import { expect, test } from "vitest";
import type { ConnectionLimits } from "../connection-limits.ts";
import { latenessOf, type TimedStream } from "./lateness.ts";

const limits = {
  readMinRate: 0,
  readIdleTimeoutMs: 100,
  readTimeoutMs: 1_000,
  writeTimeoutMs: 5_000,
} as ConnectionLimits;
const stream: TimedStream = {
  isTunnel: false,
  openedAt: 0,
  bodyAt: 0,
  awaitsBody: false,
  bodyBytes: 0,
  bodyRate: undefined,
};

test.each<[string, Partial<TimedStream>, number, ReturnType<typeof latenessOf>]>([
  ["a body that comes", { awaitsBody: true, bodyAt: 900 }, 999, undefined],
  ["a body of which nothing comes", { awaitsBody: true, bodyAt: 850 }, 950, "body"],
  ["a body that takes too long in all", { awaitsBody: true, bodyAt: 999 }, 1_000, "body"],
  ["a body that nobody waits for", {}, 4_999, undefined],
  ["a response that takes too long", {}, 5_000, "response"],
  ["a tunnel has time", { isTunnel: true }, 1_000_000, undefined],
])("%s", (_name, more, now, late) => {
  expect(latenessOf({ ...stream, ...more }, limits, now)).toBe(late);
});

test("a body that comes slower than it must", () => {
  const slow = { ...stream, awaitsBody: true };
  const rate = { ...limits, readMinRate: 1_000 };
  expect(latenessOf(slow, rate, 0)).toBeUndefined();
  expect(
    latenessOf({ ...slow, bodyAt: 150, bodyBytes: 50, bodyRate: slow.bodyRate }, rate, 150),
  ).toBeUndefined();
  expect(latenessOf({ ...slow, bodyAt: 200, bodyBytes: 50, bodyRate: slow.bodyRate }, rate, 200)).toBe(
    "body",
  );
});
