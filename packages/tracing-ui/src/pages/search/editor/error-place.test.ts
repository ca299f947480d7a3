import { expect, test } from "vitest";
import { errorPlace } from "./error-place.ts";

test.each([
  ["{ nonsense }", "invalid TraceQL query: parse error at line 1, col 3: unexpected IDENTIFIER", "nonsense"],
  ['{ }\n| select(\n  "a b")', "parse error at line 3, col 3: syntax error", '"a b"'],
  ["{ a =", "parse error at line 1, col 6: syntax error: unexpected $end", "="],
  ["{ a }", "this is a query of metrics", "{ a }"],
  ["{ a }", "parse error at line 9, col 9: far away", "}"],
])("%j: %s is about %j", (text, said, part) => {
  const { from, to } = errorPlace(text, said);
  expect(text.slice(from, to)).toBe(part);
});

test("the message tells the place no second time", () => {
  expect(errorPlace("{ x }", "invalid TraceQL query: parse error at line 1, col 3: no x").message).toBe(
    "no x",
  );
});
