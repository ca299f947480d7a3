import { expect, test } from "vitest";
import { compareAnswers } from "./answers.ts";

const compare = (theirs: unknown, ours: unknown) =>
  compareAnswers({ q: theirs }, { q: ours }).map(({ path, theirs, ours }) => [path, theirs, ours]);

test.each<[string, unknown, unknown, unknown[]]>([
  ["equal answers", { a: [1, { b: null }] }, { a: [1, { b: null }] }, []],
  ["a value", { a: { b: 1 } }, { a: { b: "1" } }, [["a.b", 1, "1"]]],
  ["a member that is missing", { a: 1, b: 2 }, { a: 1 }, [["b", 2, undefined]]],
  ["a member too many", {}, { b: null }, [["b", undefined, null]]],
  ["null and nothing", { a: null }, { a: {} }, [["a", null, {}]]],
  [
    "a tag by its key",
    ["x = int 1", "y = int 1"],
    ["x = int 1", "y = int 2"],
    [["[y]", "y = int 1", "y = int 2"]],
  ],
  ["a tag inserted, and no others", ["x = 1"], ["w = 1", "x = 1"], [["[w]", undefined, "w = 1"]]],
  ["repeated keys by their number", ["k = 1", "k = 2"], ["k = 1", "k = 3"], [["[k#2]", "k = 2", "k = 3"]]],
  ["order", ["a = 1", "b = 1"], ["b = 1", "a = 1"], [[" (order)", ["a", "b"], ["b", "a"]]]],
  [
    "a span by its id",
    [
      { spanID: "1", n: 1 },
      { spanID: "2", n: 1 },
    ],
    [{ spanID: "2", n: 2 }],
    [
      ["[1]", { spanID: "1", n: 1 }, undefined],
      ["[2].n", 1, 2],
    ],
  ],
])("sees %s", (_, theirs, ours, differences) => {
  expect(compare(theirs, ours)).toEqual(differences);
});

test("sees questions that only one side was asked", () => {
  expect(compareAnswers({ a: 1 }, { b: 2 })).toEqual([
    { question: "a", path: "", theirs: 1 },
    { question: "b", path: "", ours: 2 },
  ]);
});
