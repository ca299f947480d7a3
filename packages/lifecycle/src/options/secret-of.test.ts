import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { secretOf } from "./secret-of.ts";

const folder = mkdtempSync(join(tmpdir(), "secret-of-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const path = join(folder, "password");
const of = (password: string, file: string) =>
  secretOf({ "store.password": password, "store.password-file": file }, "store.password");

test("is given as itself, or as a file, whose last line end does not count", () => {
  expect(of("", "")).toBe("");
  expect(of("word", "")).toBe("word");
  for (const end of ["", "\n", "\r\n"]) {
    writeFileSync(path, ` pass word${end}`);
    expect(of("", path)).toBe(" pass word");
  }
});

test("not both", () => {
  writeFileSync(path, "other");
  expect(() => of("word", path)).toThrow("--store.password and --store.password-file: give one of them");
});

test.each([
  ["empty", "\n"],
  ["of two lines", "hidden\nhidden\n"],
  ["with a NUL", "hidden\0"],
  ["too long", "hidden".repeat(1_000)],
])("a file that is %s is refused, and not repeated", (_, text) => {
  writeFileSync(path, text);
  expect(() => of("", path)).toThrow(`${path} is not one line of 1 to 4096 bytes`);
  expect(() => of("", path)).not.toThrow("hidden");
});

test("a file that is not there is refused", () => {
  expect(() => of("", join(folder, "nowhere"))).toThrow("--store.password-file: cannot read");
});
