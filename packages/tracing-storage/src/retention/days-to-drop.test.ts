import { describe, expect, test } from "vitest";
import { daysToDrop } from "./days-to-drop.ts";

const now = Date.parse("2026-11-21T12:00:00Z");
const dayMs = 86_400_000;
const days = ["2026-11-18", "2026-11-19", "2026-11-19", "2026-11-20", "2026-11-21"].map((day, index) => ({
  day,
  bytes: 10,
  index,
}));
const indexes = (chosen: readonly { readonly index: number }[]) => chosen.map(({ index }) => index);

describe("daysToDrop", () => {
  test.each([
    ["nothing without limits", 0, 0, [], [], false],
    ["days of which the last moment is old enough", 1.5 * dayMs, 0, [0, 1, 2], [], false],
    ["not a moment before", 1.5 * dayMs + 1, 0, [0], [], false],
    ["all days when even today is too old", 1, 0, [0, 1, 2, 3], [], false],
    ["the oldest until the rest fits, in all tables", 0, 50, [], [0, 1, 2], false],
    ["nothing that fits", 0, 70, [], [], false],
    ["what is too old counts as gone", 1.5 * dayMs, 30, [0, 1, 2], [3], false],
    ["never the newest", 0, 1, [], [0, 1, 2, 3], true],
  ])("%s", (_name, maxAgeMs, maxBytes, byAge, bySize, isStillTooLarge) => {
    const chosen = daysToDrop(days, 70, { maxAgeMs, maxBytes }, now);
    expect([indexes(chosen.byAge), indexes(chosen.bySize), chosen.isStillTooLarge]).toEqual([
      byAge,
      bySize,
      isStillTooLarge,
    ]);
  });
});
