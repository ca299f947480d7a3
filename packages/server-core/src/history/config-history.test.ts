import { mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger } from "lifecycle";
import { afterEach, beforeEach, expect, test } from "vitest";
import { WrittenDocument } from "../json/written-document.ts";
import { ConfigHistory, defaultHistoryLimits } from "./config-history.ts";
import { dataFolder } from "./data-folder.ts";
import { HistoryFiles } from "./history-files.ts";

const log = createLogger({ name: "test", level: "fatal", encoding: "json" });
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "history-"));
});
afterEach(() => rm(folder, { recursive: true }));

async function open(): Promise<ConfigHistory> {
  const history = new ConfigHistory(new HistoryFiles(join(folder, "h")), log);
  await history.open();
  return history;
}

const record = (history: ConfigHistory, document: string, limits = defaultHistoryLimits, persist = true) =>
  history.record({ document: new WrittenDocument(document), author: "me", limits, persist });

test("keeps what ran over a restart, newest first, and the same once", async () => {
  const first = await open();
  await record(first, "null");
  await record(first, '{"a":1}');
  await record(first, '{"a":1}');
  await first.record({
    document: new WrittenDocument('{"a":"ü"}'),
    ...{ author: "me", cause: `PUT /${"c".repeat(600)}`, limits: defaultHistoryLimits, persist: true },
  });
  expect(await first.document(2)).toBe('{"a":"ü"}');
  await first.close();

  const second = await open();
  expect(second.entries).toEqual([
    {
      n: 2,
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      author: "me",
      bytes: 10,
      cause: `PUT /${"c".repeat(495)}`,
    },
    { n: 1, at: expect.any(String), author: "me", bytes: 7 },
  ]);
  await record(second, '{"a":"ü"}');
  await record(second, "null");
  expect(second.entries.map(({ n }) => n)).toEqual([3, 2, 1]);
  expect(await second.document(1)).toBe('{"a":1}');
  expect(second.before(2)?.n).toBe(1);
  await second.close();
});

test("is for its owner's eyes only", async () => {
  const history = await open();
  await record(history, '{"secret":1}');
  await history.close();
  expect((await stat(join(folder, "h"))).mode & 0o777).toBe(0o700);
  expect((await stat(join(folder, "h", "1.json"))).mode & 0o777).toBe(0o600);
});

test("forgets the oldest past its count and past its bytes", async () => {
  const history = await open();
  for (let n = 0; n < 40; n++) {
    await record(history, `{"n":${n}}`, { maxEntries: 5, maxBytes: 1_000 });
  }
  expect(history.entries.map(({ n }) => n)).toEqual([40, 39, 38, 37, 36]);
  await record(history, '"0123456789"', { maxEntries: 5, maxBytes: 20 });
  expect(history.entries.map(({ n }) => n)).toEqual([41, 40]);
  await record(history, `"${"x".repeat(50)}"`, { maxEntries: 5, maxBytes: 20 });
  expect(history.entries.map(({ n }) => n)).toEqual([42]);
  await expect(history.document(41)).rejects.toMatchObject({ code: "HISTORY_UNKNOWN" });
  await history.close();
  expect(await readdir(join(folder, "h"))).toEqual(["42.json"]);
  await record(history, "1", { maxEntries: 0, maxBytes: 0 });
  expect(history.entries).toEqual([]);
});

test("stays in memory when nothing may be saved", async () => {
  const history = await open();
  await record(history, "1", defaultHistoryLimits, false);
  expect(await history.document(1)).toBe("1");
  await history.close();
  await expect(readdir(join(folder, "h"))).rejects.toThrow("ENOENT");
});

test("passes over damaged files and what else lies there", async () => {
  const history = await open();
  for (const document of ["1", "2", "3", "4"]) {
    await record(history, document);
  }
  await history.close();
  const file = (name: string) => join(folder, "h", name);
  await truncate(file("1.json"), 10);
  await writeFile(file("2.json"), "");
  await writeFile(file("9.json"), await readFile(file("3.json")));
  await writeFile(file("x.json"), "x");
  expect((await open()).entries.map(({ n }) => n)).toEqual([4, 3]);
});

test("a folder that cannot be had costs the history, not the change", async () => {
  await writeFile(join(folder, "h"), "a file");
  const history = await open();
  await record(history, "1");
  await history.close();
  expect(await history.document(1)).toBe("1");
});

test("the folder", () => {
  expect(dataFolder({ XDG_DATA_HOME: "/d", HOME: "/h" })).toBe("/d/server");
  expect(dataFolder({ HOME: "/h" })).toBe("/h/.local/share/server");
});
