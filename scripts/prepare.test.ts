import { mkdirSync, mkdtempSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { platformNamed } from "./platform.mjs";
import { fingerprint, Stamp } from "./prepare.mjs";

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

test("what was installed for one platform is not for another one, and what was built is", () => {
  const folder = mkdtempSync(join(tmpdir(), "prepared-"));
  const installed = (platform: string) => new Stamp(join(folder, "install"), platformNamed(platform));
  installed("darwin-arm64").write("one");
  expect(installed("darwin-arm64").isOf("one")).toBe(true);
  expect(installed("darwin-arm64").isOf("two")).toBe(false);
  expect(installed("linux-arm64-glibc").isOf("one")).toBe(false);
  const built = new Stamp(join(folder, "build"), undefined);
  built.write("one");
  expect(built.isOf("one")).toBe(true);
});
