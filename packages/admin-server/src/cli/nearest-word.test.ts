import { expect, test } from "vitest";
import { nearestWord } from "./nearest-word.ts";

const words = ["run", "reload", "respond", "version", "stop", "start"];

test.each([
  ["rum", "run"],
  ["relaod", "reload"],
  ["versoin", "version"],
  ["vers", "version"],
  ["strat", "start"],
  ["xyz", undefined],
  ["", undefined],
  ["a".repeat(100_000), undefined],
])("%s", (given, expected) => {
  expect(nearestWord(given, words)).toBe(expected);
});
