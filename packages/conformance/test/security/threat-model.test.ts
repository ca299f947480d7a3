// SECURITY.md names the tests for each mitigation: these tests must exist.

import { existsSync, readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const document = readFileSync(join(root, "SECURITY.md"), "utf8");

interface Threat {
  readonly threat: string;
  readonly mitigation: string;
  readonly tests: readonly string[];
}

/** The rows of the table under "Threats". */
function threatsOf(text: string): Threat[] {
  const [, section = ""] = text.split("\n## Threats\n");
  const rows = section.split("\n").filter((line) => line.startsWith("| "));
  return rows.slice(1).map((row) => {
    const [, threat = "", mitigation = "", tests = ""] = row.split(/(?<!\\)\|/);
    return {
      threat: threat.trim(),
      mitigation: mitigation.trim(),
      tests: [...tests.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path),
    };
  });
}

const threats = threatsOf(document);

test("there are threats, each once", () => {
  expect(threats.length).toBeGreaterThan(25);
  expect(new Set(threats.map(({ threat }) => threat)).size).toBe(threats.length);
});

test.each(threats)("$threat", ({ mitigation, tests }) => {
  expect(mitigation).not.toBe("");
  expect(tests).not.toEqual([]);
  for (const path of tests) {
    expect(path).toMatch(/^(?:packages|scripts)\/.+\.test\.tsx?$/);
    expect(existsSync(join(root, path)), path).toBe(true);
    expect(readFileSync(join(root, path), "utf8"), path).toMatch(/\b(?:test|it|describe)(?:\.\w+)*[<(]/);
  }
});

test("every test of this folder stands in the table", async () => {
  const named = new Set(threats.flatMap(({ tests }) => tests));
  const here = (await readdir(import.meta.dirname)).filter((name) => name.endsWith(".test.ts"));
  const others = here
    .map((name) => `packages/conformance/test/security/${name}`)
    .filter((path) => path !== "packages/conformance/test/security/threat-model.test.ts");
  expect(others.filter((path) => !named.has(path))).toEqual([]);
});
