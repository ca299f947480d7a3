import { expect, test } from "vitest";
import { LinearRegexp } from "../../regexp/linear-regexp.ts";
import { replaceMatches } from "./replace-matches.ts";

test("a text that is too costly is hidden as a whole", () => {
  const regexp = new LinearRegexp("(?:(?:a?){30}){30}$");
  expect(replaceMatches("ba", regexp, "#")).toBe("b#");
  expect(replaceMatches("a".repeat(200_000), regexp, "#")).toBe("REDACTED");
});
