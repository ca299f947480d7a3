import { expect, test } from "vitest";
import { searchOf } from "./search-of-exception.ts";

test.each([
  ["Declined", "no (card)", '{ event.exception.type = "Declined" && event.exception.message = "no (card)" }'],
  [
    "E",
    'card <number> in "x" (y)',
    '{ event.exception.type = "E" && event.exception.message =~ "card .* in \\"x\\" \\\\(y\\\\).*" }',
  ],
  ["(no type)", "m", '{ event.exception.message = "m" }'],
])("TraceQL for %s: %s", (type, template, q) => {
  expect(searchOf({ type, template })).toBe(q);
});
