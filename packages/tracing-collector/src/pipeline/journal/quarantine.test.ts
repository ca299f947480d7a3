import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger } from "lifecycle";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Quarantine, type QuarantineLimits, quarantinedFiles } from "./quarantine.ts";
import { quarantineFolder } from "./sealed-segment.ts";

const log = createLogger({ name: "test", level: "fatal", encoding: "json" });
const dayMs = 86_400_000;
let folder: string;
let dropped: string[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "quarantine-"));
  dropped = [];
  await mkdir(join(folder, quarantineFolder));
});
afterEach(() => rm(folder, { recursive: true }));

async function put(name: string, bytes: number, ageDays: number): Promise<void> {
  const path = join(folder, quarantineFolder, name);
  await writeFile(path, Buffer.alloc(bytes));
  const time = (Date.now() - ageDays * dayMs) / 1_000;
  await utimes(path, time, time);
}

async function looked(limits: QuarantineLimits): Promise<Quarantine> {
  const quarantine = new Quarantine({ folder, limits, log, dropped: (reason) => dropped.push(reason) });
  await quarantine.look();
  return quarantine;
}

test("copies over the limit go, the oldest first; refused segments stay however large", async () => {
  await put("1.segment.damaged", 400, 3);
  await put("2.segment.cut", 400, 2);
  await put("3.segment.damaged", 400, 1);
  await put("0.segment", 5_000, 9);
  const quarantine = await looked({ maxAgeMs: 30 * dayMs, maxCopyBytes: 800 });
  expect(dropped).toEqual(["size"]);
  expect((await readdir(join(folder, quarantineFolder))).sort()).toEqual([
    "0.segment",
    "2.segment.cut",
    "3.segment.damaged",
  ]);
  expect([quarantine.files, quarantine.bytes, quarantine.refusedBytes]).toEqual([3, 5_800, 5_000]);
});

test("a single copy that is larger than the limit is dropped too", async () => {
  await put("1.segment.damaged", 801, 0);
  await looked({ maxAgeMs: 0, maxCopyBytes: 800 });
  expect([dropped, await quarantinedFiles(folder)]).toEqual([["size"], []]);
});

test("age drops both kinds; 0 drops none", async () => {
  await put("1.segment.damaged", 4, 31);
  await put("2.segment", 4, 31);
  await put("3.segment", 4, 29);
  await looked({ maxAgeMs: 0, maxCopyBytes: 800 });
  expect(dropped).toEqual([]);
  const quarantine = await looked({ maxAgeMs: 30 * dayMs, maxCopyBytes: 800 });
  expect([dropped, quarantine.files]).toEqual([["age", "age"], 1]);
});

test("a folder that is not there has no files, and one that cannot be read fails nothing", async () => {
  await rm(join(folder, quarantineFolder), { recursive: true });
  expect((await looked({ maxAgeMs: 1, maxCopyBytes: 0 })).files).toBe(0);
  await writeFile(join(folder, quarantineFolder), "a file");
  expect((await looked({ maxAgeMs: 1, maxCopyBytes: 0 })).files).toBe(0);
});
