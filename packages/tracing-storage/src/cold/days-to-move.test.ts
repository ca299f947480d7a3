import { expect, test } from "vitest";
import { daysToMove } from "./days-to-move.ts";

const now = Date.parse("2026-11-21T12:00:00Z");
const dayMs = 86_400_000;
const parts = ["2026-11-18", "2026-11-19", "2026-11-19", "2026-11-20", "2026-11-21"].map((day, index) => ({
  ...{ database: "tracing", table: "spans", tableUuid: "", part: String(index), rows: 1 },
  ...{ day, bytes: 10 },
}));

test.each([
  ["days whose last moment is old enough", 1.5 * dayMs, 0, ["0", "1", "2"]],
  ["not a moment before", 1.5 * dayMs + 1, 0, ["0"]],
  ["each day that has ended", 0, 0, ["0", "1", "2", "3"]],
  ["the oldest until the rest fits", 1_000 * dayMs, 45, ["0", "1", "2"]],
  ["nothing that fits", 1_000 * dayMs, 70, []],
  ["old days count as moved", 2.5 * dayMs, 60, ["0"]],
  ["never the newest for its size", 1_000 * dayMs, 1, ["0", "1", "2", "3"]],
])("%s", (_, afterMs, maxLocalBytes, expected) => {
  const chosen = daysToMove(parts, 70, { afterMs, maxLocalBytes }, now);
  expect(chosen.map(({ part }) => part)).toEqual(expected);
});
