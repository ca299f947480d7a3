import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { changelogOf, cutChangelog } from "./changelog.ts";

let repository: string;

beforeEach(() => {
  repository = mkdtempSync(join(tmpdir(), "changelog-"));
  mkdirSync(join(repository, "changelog.d"));
  setVersion("0.1.0");
  note("first.feature.md", "It starts.");
});
afterEach(() => rmSync(repository, { recursive: true }));

function setVersion(version: string): void {
  writeFileSync(join(repository, "package.json"), JSON.stringify({ version }));
}

function note(file: string, text: string): void {
  writeFileSync(join(repository, "changelog.d", file), `${text}\n`);
}

const file = () => readFileSync(join(repository, "CHANGELOG.md"), "utf8");

test("notes become the section of a version, newest first, and go", () => {
  expect(cutChangelog(repository)).toBe(1);
  expect(file()).toBe("# Changes\n\n## 0.1.0\n\n### New\n\n- It starts.\n");
  expect(readdirSync(join(repository, "changelog.d"))).toEqual([]);
  setVersion("0.2.0");
  note("second.fix.md", "It stops.");
  cutChangelog(repository);
  expect(file()).toBe(
    "# Changes\n\n## 0.2.0\n\n### Mended\n\n- It stops.\n\n## 0.1.0\n\n### New\n\n- It starts.\n",
  );
});

test("what waits stands before what was released", () => {
  cutChangelog(repository);
  expect(changelogOf(repository)).toBe(file());
  note("second.fix.md", "It stops.");
  expect(changelogOf(repository)).toBe(
    "# Changes\n\n## Unreleased\n\n### Mended\n\n- It stops.\n\n## 0.1.0\n\n### New\n\n- It starts.\n",
  );
});

test("a version is cut once, and not without notes", () => {
  cutChangelog(repository);
  expect(() => cutChangelog(repository)).toThrow("no note waits");
  note("second.fix.md", "It stops.");
  expect(() => cutChangelog(repository)).toThrow("has 0.1.0 already");
});
