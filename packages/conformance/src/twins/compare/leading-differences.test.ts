import { expect, test } from "vitest";
import type { TwinDifference } from "./compare-observations.ts";
import { leadingDifferences } from "./leading-differences.ts";

const at = (path: string, theirs: string, ours: string, exchange?: number): TwinDifference => ({
  exchange,
  request: exchange === undefined ? "site" : "http, GET / [Host: a]",
  path,
  theirs,
  ours,
});
const status = at("answer 0 status", "200", "502", 0);

test.each<[what: string, differences: TwinDifference[], left: string[]]>([
  ["another status explains what follows from it", [status, at("answer 0 body", "a", "b", 0)], [status.path]],
  ["and a counter of so many requests", [status, at("metric x", "4", "5")], [status.path]],
  ["but not a counter of more requests", [status, at("metric x", "4", "9")], [status.path, "metric x"]],
  ["nothing explains a counter alone", [at("metric x", "4", "5")], ["metric x"]],
  [
    "a failure that only one logs is one for its counters",
    [at("error log", "absent", "error", 0), at("metric x", "4", "5")],
    ["error log"],
  ],
  [
    "a body explains no counter of the site before",
    [at("answer 0 field.x", "a", "b", 0), at("metric x", "4", "5")],
    ["answer 0 field.x", "metric x"],
  ],
])("%s", (_, differences, left) => {
  expect(leadingDifferences(differences, () => false).map(({ path }) => path)).toEqual(left);
});
