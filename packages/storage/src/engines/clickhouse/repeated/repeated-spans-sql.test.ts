import { expect, test } from "vitest";
import { windowOf, windowToTry } from "./repeated-spans-sql.ts";

test.each([
  ["all of it while it has few", { spans: 2_000_000, newer: 5 }, 120, { seconds: 120, spans: 2_000_000 }],
  ["its newer half", { spans: 2_000_001, newer: 2_000_000 }, 121, { seconds: 61, spans: 2_000_000 }],
  ["less where more arrive", { spans: 9_000_000, newer: 4_000_000 }, 60, { seconds: 15, spans: 2_000_000 }],
  ["a second at least", { spans: 90_000_000, newer: 80_000_000 }, 2, { seconds: 1, spans: 2_000_000 }],
])("a step looks through %s", (_, arrived, tried, window) => {
  expect(windowOf(arrived, tried)).toEqual(window);
});

test("windows double step by step, up to a quarter of an hour", () => {
  expect([1, 16, 449, 450, 900].map(windowToTry)).toEqual([2, 32, 898, 900, 900]);
});
