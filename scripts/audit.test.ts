import { expect, test } from "vitest";
import { advisoryFindings, licenceFindings } from "./audit-findings.mjs";

const component = (name: string, ...licenses: object[]) => ({ name, version: "1.0.0", licenses });
const id = (text: string) => ({ license: { id: text } });
const rules = { allowed: ["MIT", "ISC"], read: [] };

test.each([
  ["an allowed one", [id("MIT")], []],
  ["two allowed ones", [{ expression: "(MIT AND ISC)" }], []],
  ["a choice with an allowed one", [{ expression: "(GPL-3.0-only OR MIT)" }], []],
  ["both of which one is not", [{ expression: "MIT AND GPL-3.0-only" }], ["MIT AND GPL-3.0-only"]],
  ["another", [id("AGPL-3.0-only")], ["AGPL-3.0-only"]],
  ["a name", [{ license: { name: "Custom" } }], ["Custom"]],
])("licence: %s", (_, licenses, refused) => {
  expect(licenceFindings([component("a", ...licenses)], rules)).toEqual(
    refused.map((text) => `a 1.0.0: licence ${text} is not allowed`),
  );
});

test("a package that names no licence is told, unless somebody has read it", () => {
  const silent = [component("old")];
  expect(licenceFindings(silent, rules)).toEqual(["old 1.0.0: names no licence"]);
  const read = [{ name: "old", version: "1.0.0", license: "MIT", reason: "in its file LICENSE" }];
  expect(licenceFindings(silent, { ...rules, read })).toEqual([]);
  expect(licenceFindings([], { ...rules, read })).toEqual(["old 1.0.0: is not used any more, take it out"]);
});

const report = {
  advisories: { 1: { github_advisory_id: "GHSA-1", module_name: "a", severity: "high", title: "It breaks" } },
};

test("an advisory counts until it is accepted, and again after the day", () => {
  const accepted = [{ id: "GHSA-1", reason: "not reached", until: "2026-12-01" }];
  expect(advisoryFindings(report, [], "2026-11-21")).toEqual(["a: high: It breaks (GHSA-1)"]);
  expect(advisoryFindings(report, accepted, "2026-12-01")).toEqual([]);
  expect(advisoryFindings(report, accepted, "2026-12-02")).toEqual([
    "a: GHSA-1 was accepted until 2026-12-01 only",
  ]);
  expect(advisoryFindings({}, accepted, "2026-11-21")).toEqual([
    "GHSA-1: is accepted, but found no more: take it out",
  ]);
});
