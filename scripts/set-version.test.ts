import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { otherVersions, setVersion } from "./set-version.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

test("the version is one, in every place", () => {
  expect(otherVersions().others).toEqual([]);
});

test("a raised version is carried to each of them", () => {
  const copy = mkdtempSync(join(tmpdir(), "set-version-"));
  try {
    const parts = ["package.json", "README.md", "docs", "deploy", "packages", "examples"];
    const isLeft = /\/(node_modules|dist|src|test|images|adr|\.turbo|fixtures|recorded)$/;
    for (const part of parts) {
      cpSync(join(root, part), join(copy, part), { recursive: true, filter: (path) => !isLeft.test(path) });
    }
    const file = join(copy, "package.json");
    writeFileSync(file, readFileSync(file, "utf8").replace(/"version": "[^"]+"/, '"version": "12.3.4-rc.1"'));
    expect(otherVersions(copy).others.length).toBeGreaterThan(20);
    expect(setVersion(copy)).toContain("deploy/helm/tracing/Chart.yaml");
    expect(otherVersions(copy)).toEqual({ version: "12.3.4-rc.1", others: [] });
    expect(readFileSync(join(copy, "README.md"), "utf8")).toContain("\nVersion 12.3.4-rc.1 ·");
    expect(setVersion(copy)).toEqual([]);
  } finally {
    rmSync(copy, { recursive: true });
  }
});
