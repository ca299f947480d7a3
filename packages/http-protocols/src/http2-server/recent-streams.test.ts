import { expect, test } from "vitest";
import { RecentStreams } from "./recent-streams.ts";

test("knows how the last streams ended, and forgets the oldest", () => {
  const recent = new RecentStreams();
  expect(recent.fateOf(1)).toBe(undefined);
  recent.remember(1, "closed");
  recent.remember(3, "abandoned");
  expect([recent.fateOf(1), recent.fateOf(3), recent.fateOf(5)]).toEqual(["closed", "abandoned", undefined]);
  for (let id = 5; id < 5 + 2 * 255; id += 2) {
    recent.remember(id, "closed");
  }
  expect([recent.fateOf(1), recent.fateOf(3), recent.fateOf(513)]).toEqual([
    undefined,
    "abandoned",
    "closed",
  ]);
});
