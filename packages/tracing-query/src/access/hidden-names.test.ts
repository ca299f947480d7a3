import { expect, test } from "vitest";
import { HiddenNames } from "./hidden-names.ts";

test.each([
  ["user.id", "user.id", true],
  ["user.id", "USER.Id", true],
  ["user.id", "user.ids", false],
  ["user.*", "user.", true],
  ["user.*", "user", false],
  ["*mail*", "e-Mail.to", true],
  ["a*b*c", "abc", true],
  ["a*b*c", "acb", false],
  ["ab*ba", "aba", false],
  ["*", "x", true],
  ["*", "service.name", false],
  ["ü*", "über", true],
  ["*secret", `${"x".repeat(1_100)}secret`, true],
  ["*".repeat(200), "x".repeat(100_000), true],
])("%s for %s: %s", (pattern, name, isHidden) => {
  expect(new HiddenNames([pattern]).has(name)).toBe(isHidden);
});

test("a condition on an outer name touches the entry of a kvlist", () => {
  const hidden = new HiddenNames(["a.b.c", "x.*"]);
  expect(["a", "A.b", "a.b.c", "x", "a.c", "b"].map((name) => hidden.touches(name))).toEqual([
    ...[true, true, true, true],
    ...[false, false],
  ]);
});

test("what hides nothing is the same object", () => {
  const hidden = new HiddenNames(["a"]);
  const list = [{ key: "b", value: { type: "array", value: [{ type: "string", value: "x" }] } }] as const;
  expect(hidden.shownList(list)).toBe(list);
});

test("names that senders invent do not fill the memory", () => {
  const hidden = new HiddenNames(["a*"]);
  for (let index = 0; index < 30_000; index++) {
    expect(hidden.has(`${index % 2 ? "a" : "b"}${index}`)).toBe(index % 2 === 1);
  }
});
