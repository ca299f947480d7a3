import { expect, test } from "vitest";
import { RestartPace } from "./restart-pace.ts";

test("the first death costs no pause, those that follow soon cost more and more", () => {
  const pace = new RestartPace();
  const pauses = Array.from({ length: 8 }, () => pace.pauseAfter(1, 500, true));
  expect(pauses).toEqual([0, 100, 200, 400, 800, 1600, 3200, 5000]);
  expect(pace.pauseAfter(2, 500, true)).toBe(0);
});

test("a thread that lived for long begins anew", () => {
  const pace = new RestartPace();
  pace.pauseAfter(1, 500, true);
  expect([pace.pauseAfter(1, 500, true), pace.pauseAfter(1, 11_000, true)]).toEqual([100, 0]);
});

test("while nobody serves the pause stays short, and is never none", () => {
  const pace = new RestartPace();
  const pauses = Array.from({ length: 6 }, () => pace.pauseAfter(1, 500, false));
  expect(pauses).toEqual([0, 100, 200, 250, 250, 250]);
});
