import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { replaceFile } from "./synced-file.ts";

test("a file is made and replaced, nothing else is left, and others cannot read it", () => {
  const folder = mkdtempSync(join(tmpdir(), "synced-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "file");
  replaceFile(path, "first");
  replaceFile(path, Buffer.from("second"), join(folder, "own.tmp"));
  expect(readFileSync(path, "utf8")).toBe("second");
  expect(readdirSync(folder)).toEqual(["file"]);
  expect(statSync(path).mode & 0o077).toBe(0);
  expect(() => replaceFile(join(folder, "missing", "file"), "x")).toThrow("ENOENT");
});
