import { expect, test } from "vitest";
import { RestartPauses } from "./restart-pauses.ts";

test("pauses double up to ten seconds, and begin anew after a life of half a minute", () => {
  const pauses = new RestartPauses();
  expect([0, 10, 10, 10, 10, 10, 10, 10, 10].map((lived) => pauses.next(lived))).toEqual([
    500, 1000, 2000, 4000, 8000, 10_000, 10_000, 10_000, 10_000,
  ]);
  expect(pauses.next(30_000)).toBe(500);
  expect(pauses.next(29_999)).toBe(1000);
});
