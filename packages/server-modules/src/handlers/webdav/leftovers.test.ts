import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Leftovers } from "./leftovers.ts";

const dayMs = 24 * 3_600_000;
const hidden = (digit: string, ending: string) =>
  `.webdav-${digit.repeat(8)}-89ab-cdef-0123-456789abcdef.${ending}`;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "leftovers-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("what a killed upload, copy or deletion left goes after a day; all else stays", async () => {
  writeFileSync(join(folder, hidden("1", "part")), "half");
  mkdirSync(join(folder, hidden("2", "part"), "deep"), { recursive: true });
  const kept = [hidden("3", "tmp"), `${hidden("4", "part")}.txt`, "a.part", ".webdav-mine.part"];
  for (const name of kept) {
    writeFileSync(join(folder, name), "a user's");
  }
  const all = readdirSync(folder).sort();
  await new Leftovers(() => Date.now() + dayMs - 60_000).removeFrom(folder);
  expect(readdirSync(folder).sort()).toEqual(all);
  await new Leftovers(() => Date.now() + dayMs + 60_000).removeFrom(folder);
  expect(readdirSync(folder).sort()).toEqual(kept.sort());
});

test("a folder is searched once an hour", async () => {
  let now = Date.now() + dayMs + 60_000;
  const leftovers = new Leftovers(() => now);
  await leftovers.removeFrom(folder);
  writeFileSync(join(folder, hidden("1", "part")), "half");
  now += 3_500_000;
  await leftovers.removeFrom(folder);
  expect(readdirSync(folder)).toHaveLength(1);
  now += 200_000;
  await leftovers.removeFrom(folder);
  expect(readdirSync(folder)).toEqual([]);
});

test("a folder that is not there is no failure", async () => {
  await expect(new Leftovers().removeFrom(join(folder, "absent"))).resolves.toBeUndefined();
});
