import { readdirSync, readFileSync } from "node:fs";
import { getPriority } from "node:os";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import {
  ask,
  askUntil,
  makeFolder,
  type RunningStorage,
  removeFolder,
  startStorage,
} from "./running-storage.ts";

let folder: string;
let storage: RunningStorage;

/** The looked-for state comes after seconds without an insert. */
vi.setConfig({ testTimeout: 60_000 });

beforeAll(async () => {
  folder = await makeFolder();
  storage = await startStorage(folder);
  await ask(storage.url, "CREATE DATABASE tracing");
});

afterAll(async () => {
  await storage.stop();
  await removeFolder(folder);
});

test.runIf(process.platform === "linux")("merges go after everything else that wants a core", async () => {
  await ask(storage.url, "CREATE TABLE tracing.first (x String) ENGINE = MergeTree ORDER BY x");
  const tasks = `/proc/${storage.process.pid}/task`;
  const nices = readdirSync(tasks).flatMap((thread) => {
    const name = readFileSync(`${tasks}/${thread}/comm`, "utf8").trim();
    return name === "MergeMutate" ? [getPriority(Number(thread))] : [];
  });
  expect(nices.length).toBeGreaterThan(0);
  expect(new Set(nices)).toEqual(new Set([10]));
});

const levels = (table: string) =>
  `SELECT arrayStringConcat(arraySort(groupArray(toString(level))), ' ') FROM system.parts WHERE active AND database = 'tracing' AND table = '${table}'`;

test("parts that were written last are merged when no more is written", async () => {
  const tables = [
    ["large", "x String, INDEX x_index x TYPE minmax", 15_000],
    ["small", "x String, INDEX x_index x TYPE minmax", 15],
    ["without_index", "x String", 15_000],
  ] as const;
  for (const [table, columns, rows] of tables) {
    await ask(
      storage.url,
      `CREATE TABLE tracing.${table} (received Date, ${columns}) ENGINE = MergeTree PARTITION BY received ORDER BY x`,
    );
    if (table === "large") {
      await ask(
        storage.url,
        "INSERT INTO tracing.large SELECT '2026-11-21', randomString(100) FROM numbers(400000)",
      );
      await ask(storage.url, "OPTIMIZE TABLE tracing.large FINAL");
    }
    for (let part = 0; part < 3; part++) {
      await ask(
        storage.url,
        `INSERT INTO tracing.${table} SELECT '2026-11-21', randomString(100) FROM numbers(${rows})`,
      );
    }
  }
  expect(await ask(storage.url, levels("large"))).toBe("0 0 0 1");
  // Parts that were merged before stay unchanged.
  await askUntil(storage.url, levels("large"), "1 1");
  expect(await ask(storage.url, levels("small"))).toBe("0 0 0");
  expect(await ask(storage.url, levels("without_index"))).toBe("0 0 0");
  expect(await ask(storage.url, "SELECT count() FROM tracing.large")).toBe("445000");
});
