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

/** What is looked for comes after seconds without an insert. */
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

const levels = (table: string) =>
  `SELECT arrayStringConcat(arraySort(groupArray(toString(level))), ' ') FROM system.parts WHERE active AND database = 'tracing' AND table = '${table}'`;

test("parts that were written last are merged when no more is written", async () => {
  const tables = [
    ["large", "x UInt64, INDEX x_index x TYPE minmax", 15_000],
    ["small", "x UInt64, INDEX x_index x TYPE minmax", 15],
    ["without_index", "x UInt64", 15_000],
  ] as const;
  for (const [table, columns, rows] of tables) {
    await ask(
      storage.url,
      `CREATE TABLE tracing.${table} (received Date, ${columns}) ENGINE = MergeTree PARTITION BY received ORDER BY x`,
    );
    for (let part = 0; part < 3; part++) {
      await ask(
        storage.url,
        `INSERT INTO tracing.${table} SELECT '2026-11-21', number FROM numbers(${rows})`,
      );
    }
  }
  expect(await ask(storage.url, levels("large"))).toBe("0 0 0");
  await askUntil(storage.url, levels("large"), "1");
  expect(await ask(storage.url, levels("small"))).toBe("0 0 0");
  expect(await ask(storage.url, levels("without_index"))).toBe("0 0 0");
  expect(await ask(storage.url, "SELECT count() FROM tracing.large")).toBe("45000");
});
