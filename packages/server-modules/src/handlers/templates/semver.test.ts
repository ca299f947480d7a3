import { expect, test } from "vitest";
import { sprigVersions } from "./semver.ts";

const check = sprigVersions.semverCompare as unknown as (constraint: string, version: string) => boolean;

// Sprig says the same.
test.each<[constraint: string, version: string, isMet: boolean]>([
  ["~1.2", "1.3.0", false],
  ["~1.2.3", "1.2.9", true],
  ["~1", "1.9.0", true],
  ["^0.2.3", "0.2.9", true],
  ["^0.2.3", "0.3.0", false],
  ["^0.0.3", "0.0.4", false],
  ["^0", "0.9.0", true],
  ["^0.0", "0.1.0", false],
  ["^1.2.0", "1.3.5", true],
  ["1.x", "1.9.9", true],
  ["=1.2", "1.2.9", true],
  ["!=1.2", "1.2.5", false],
  ["!=1.2.3", "1.2.5", true],
  [">1", "1.5.0", false],
  ["<=1", "1.9.0", true],
  ["<1", "1.0.0", false],
  ["1.2 - 1.4", "1.4.3", true],
  [">=1.2,<2 || >3", "3.5.0", false],
  [">=1.2,<2 || >=3", "3.5.0", true],
  ["*", "1.2.0", true],
  ["*", "1.2.0-a", false],
  [">=1.0-0", "1.2.0-beta", true],
  ["v1.2.3", "1.2.3", true],
])("%s and %s: %s", (constraint, version, isMet) => {
  expect(check(constraint, version)).toBe(isMet);
});

test.each(["", "a", ">", "1.2.3.4", ">=1.2 nope"])("%j is no constraint", (constraint) => {
  expect(() => check(constraint, "1.0.0")).toThrow("improper constraint");
});

test("what is no version is refused", () => {
  expect(() => check("1", "1.2.x")).toThrow("invalid semantic version");
});
