import { mkdirSync, mkdtempSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fingerprint } from "./prepare.mjs";

test("a prepared tree is prepared at another place too, and is not after a change", () => {
  const above = mkdtempSync(join(tmpdir(), "prepared-"));
  const [here, there] = [join(above, "here"), join(above, "there")];
  for (const folder of [here, there]) {
    mkdirSync(join(folder, "packages"), { recursive: true });
    for (const path of ["turbo.json", "packages/a.ts"]) {
      writeFileSync(join(folder, path), "one");
      utimesSync(join(folder, path), 1_000, 1_000);
    }
  }
  const inputs = ["turbo.json", "packages"];
  const before = fingerprint(here, inputs);
  expect(fingerprint(there, inputs)).toBe(before);
  writeFileSync(join(there, "packages", "a.ts"), "three");
  expect(fingerprint(there, inputs)).not.toBe(before);
});
