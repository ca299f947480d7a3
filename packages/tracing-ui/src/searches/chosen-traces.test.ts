import { expect, test } from "vitest";
import { type ChosenTrace, toggled } from "./chosen-traces.ts";

const [a, b, c] = ["a", "b", "c"].map((traceId) => ({ traceId, name: traceId, durationUs: 1 })) as [
  ChosenTrace,
  ChosenTrace,
  ChosenTrace,
];

test.each([
  ["the first is A", [], a, [a]],
  ["the second is B", [a], b, [a, b]],
  ["a third takes the place of B", [a, b], c, [a, c]],
  ["A is dropped, so B is A", [a, b], a, [b]],
  ["B is dropped", [a, b], b, [a]],
] as const)("%s", (_, list, trace, expected) => {
  expect(toggled(list, trace)).toEqual(expected);
});
