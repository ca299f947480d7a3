import { expect, test } from "vitest";
import { subjectFault } from "./commit-subjects.mjs";

test.each([
  "fix(storage): refuse a search the engine cannot serve",
  "docs: say the subject first in a dozen comments",
  "test(conformance): hit rows of journals in chaos",
  "perf(wire): Embed the table",
  "refactor(wire)!: drop a name",
  'Revert "fix(wire): read it"',
])("%s is a subject", (subject) => {
  expect(subjectFault(subject)).toBeUndefined();
});

test.each([
  [`fix(wire): ${"read ".repeat(15)}`, /characters/],
  ["What is kept of a mark", /type\(scope\)/],
  ["ci(wire): indent", /type\(scope\)/],
  ["fix(Wire): indent", /type\(scope\)/],
  ["fix(wire): reading of marks", /imperative/],
  ["fix(wire): adds marks", /imperative/],
  ["fix(wire): add marks.", /dot/],
])("%s is none", (subject, fault) => {
  expect(subjectFault(subject)).toMatch(fault);
});
