import { expect, test } from "vitest";
import SkipReasons, { skipLines } from "./skip-reasons.mjs";

test("tests of a file with one reason are one line, the most frequent first", () => {
  const skipped = [
    ["a.test.ts", "no go"],
    ["b.test.ts", "no podman"],
    ["b.test.ts", "no podman"],
  ];
  expect(skipLines(skipped)).toEqual([
    "skipped: 2 of b.test.ts: no podman",
    "skipped: 1 of a.test.ts: no go",
  ]);
});

test("a run of tests chosen by name says nothing of the others", () => {
  const reporter = new SkipReasons();
  reporter.onInit({ config: { testNamePattern: /one/ } });
  expect(() => reporter.onTestRunEnd(undefined)).not.toThrow();
});
