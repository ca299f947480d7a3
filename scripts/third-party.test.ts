import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { thirdPartyPage } from "./third-party.mjs";

const folder = mkdtempSync(join(tmpdir(), "third-party-"));
afterAll(() => rmSync(folder, { recursive: true }));

function packageWith(name: string, files: Record<string, string>): string {
  const path = join(folder, name);
  mkdirSync(path);
  for (const [file, text] of Object.entries(files)) {
    writeFileSync(join(path, file), text);
  }
  return path;
}

test("names every package, and has each text of a licence once", () => {
  const components = [
    { group: "@b", name: "two", version: "2.0.0", licenses: [{ license: { id: "MIT" } }] },
    { name: "one", version: "1.0.0", licenses: [{ expression: "MIT OR ISC" }] },
    { name: "without", version: "3.0.0" },
  ];
  const folders = new Map([
    [
      "one@1.0.0",
      packageWith("one", { LICENSE: "May be copied.\n", "license-check.js": "", "index.js": "" }),
    ],
    ["@b/two@2.0.0", packageWith("two", { "LICENCE.md": "May be copied.", NOTICE: "By B." })],
  ]);
  const page = thirdPartyPage(components, folders);
  expect(page).toContain("| @b/two | 2.0.0 | MIT |\n| one | 1.0.0 | MIT OR ISC |\n| without | 3.0.0 |  |\n");
  expect(page).toContain("## @b/two@2.0.0, one@1.0.0\n\n```text\nMay be copied.\n```\n");
  expect(page).toContain("## @b/two@2.0.0\n\n```text\nBy B.\n```\n");
  expect(page.match(/May be copied/g)).toHaveLength(1);
});
