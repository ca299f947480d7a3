import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { lockFolder } from "./folder-lock.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lock-"));
});

afterEach(() => rm(folder, { recursive: true }));

test("of many that start at the same moment at most one gets the folder, time after time", async () => {
  let takers = 0;
  for (let round = 0; round < 20; round++) {
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => lockFolder(folder)));
    const locks = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
    expect(locks.length).toBeLessThanOrEqual(1);
    takers += locks.length;
    for (const outcome of outcomes) {
      if (outcome.status === "rejected") {
        expect(String(outcome.reason)).toMatch(/another collector/);
      }
    }
    await Promise.all(locks.map((lock) => lock.release()));
    expect(await readdir(folder)).toEqual([]);
  }
  expect(takers, "they must not all give way").toBeGreaterThan(10);
});

test("processes that are killed leave nothing that keeps the next ones out", async () => {
  const script =
    `const { lockFolder } = await import(${JSON.stringify(pathToFileURL(join(import.meta.dirname, "folder-lock.ts")).href)});` +
    "await lockFolder(process.argv[1]); process.stdout.write('held'); setInterval(() => {}, 1e6);";
  for (let round = 0; round < 2; round++) {
    const child = spawn(process.execPath, ["--input-type=module", "-e", script, folder], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(child.stdout, "data");
    await expect(lockFolder(folder)).rejects.toThrow(/in use by another collector: stop that one/);
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  expect(await readdir(folder)).toHaveLength(1);
  const lock = await lockFolder(folder);
  expect(await readdir(folder)).toHaveLength(1);
  await lock.release();
});

test("a socket of an earlier version is removed", async () => {
  await writeFile(join(folder, "lock"), "");
  const lock = await lockFolder(folder);
  expect(await readdir(folder)).toEqual([expect.stringMatching(/^lock-/)]);
  await lock.release();
});
