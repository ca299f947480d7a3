import { expect, test } from "vitest";
import { nameTest } from "./name-pattern.ts";

test.each([
  ["a.b", "A.B", true],
  ["a.b", "a.bc", false],
  ["*", "", true],
  ["*pass*", "db.PASSword", true],
  ["a?c", "abc", true],
  ["a?c", "ac", false],
  ["*.b*.c", "x.b.b1.c", true],
  ["**a**", "b", false],
  ["ä*", "äb", true],
])("%s for %s: %s", (pattern, name, isMeant) => {
  expect(nameTest([pattern])(name)).toBe(isMeant);
});

// Without the limits this would take minutes.
test("long names and patterns are compared in bounded time", () => {
  const test = nameTest([`${"*a".repeat(127)}b`]);
  for (let round = 0; round < 20; round++) {
    expect(test("a".repeat(4_000_000))).toBe(false);
  }
});
