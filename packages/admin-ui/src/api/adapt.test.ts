import { expect, test } from "vitest";
import { lineOf } from "./adapt.ts";

test.each([
  ["Serverfile:2: unrecognized directive: respnd", 2],
  ["syntax error: unexpected token 'bar', expecting '}', at Serverfile:31", 31],
  ["Flow sequence must end with a ], at line 12, column 1", 12],
  ["unrecognized config adapter 'nope'", undefined],
])("%s is about line %s", (message, line) => {
  expect(lineOf(message)).toBe(line);
});
