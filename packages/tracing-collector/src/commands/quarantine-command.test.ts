import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { quarantineCommand } from "./quarantine-command.ts";

let dir: string;
let printed: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "quarantine-command-"));
  for (const journal of ["", "journal-0"]) {
    await mkdir(join(dir, journal, "quarantine"), { recursive: true });
    await writeFile(join(dir, journal, "quarantine", `1${journal}.segment`), "spans");
  }
  await writeFile(join(dir, "quarantine", "2.segment.damaged"), "damage");
  printed = "";
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    printed += String(text);
    return true;
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(dir, { recursive: true });
});

test("lists the files of all journals with size and kind", async () => {
  expect(await quarantineCommand.run(["--dir", dir])).toBe(0);
  expect(printed).toMatch(/Z +5 {2}refused by storage {2}\S+\/quarantine\/1\.segment\n/);
  expect(printed).toMatch(/Z +6 {2}copy of damage {6}\S+\/quarantine\/2\.segment\.damaged\n/);
  expect(printed).toMatch(/journal-0\/quarantine\/1journal-0\.segment\n3 files, 16 bytes\n$/);
});

test("deletes one file, or all", async () => {
  await quarantineCommand.run(["--dir", dir, "--drop", "2.segment.damaged"]);
  expect(await readdir(join(dir, "quarantine"))).toEqual(["1.segment"]);
  await quarantineCommand.run(["--dir", dir, "--drop", "all"]);
  expect(await readdir(join(dir, "quarantine"))).toEqual([]);
  expect(await readdir(join(dir, "journal-0", "quarantine"))).toEqual([]);
});

test.each([
  [["--drop", "nothing.segment"], "quarantine: nothing.segment is not in the quarantine of"],
  [["--dir", "/not/there"], "quarantine: /not/there cannot be read"],
])("%j is refused", async (args, message) => {
  await expect(quarantineCommand.run(["--dir", dir, ...args])).rejects.toThrow(message);
});
