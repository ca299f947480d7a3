import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { nodeLicence } from "./node-licence.ts";

const folder = mkdtempSync(join(tmpdir(), "node-licence-"));
afterAll(() => rmSync(folder, { recursive: true }));

function nodeIn(name: string, files: readonly string[]): string {
  const bin = join(folder, name, "bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "node"), "");
  for (const file of files) {
    writeFileSync(join(folder, name, file), `licence of ${name}`);
  }
  return join(bin, "node");
}

test.each([["LICENSE"], ["bin/LICENSE"]])(
  "the texts of Node's licences are found as %s, also through a link",
  (file) => {
    const name = `node-${file.length}`;
    const link = join(folder, `link-${file.length}`);
    symlinkSync(nodeIn(name, [file]), link);
    expect(readFileSync(nodeLicence(link), "utf8")).toBe(`licence of ${name}`);
  },
);

test("a Node without them is refused", () => {
  expect(() => nodeLicence(nodeIn("bare", []))).toThrow(/no LICENSE of Node/);
});
