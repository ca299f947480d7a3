// The state after a loss of power; the power itself is cut in packages/conformance (faults, power).

import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ask, askUntil, makeFolder, removeFolder, startStorage } from "./running-storage.ts";

const withTokens = "ENGINE = MergeTree ORDER BY n SETTINGS non_replicated_deduplication_window = 100";

let folder: string;

beforeEach(async () => {
  folder = await makeFolder();
});

afterEach(() => removeFolder(folder));

/** The attributes as `lsattr` shows them. */
function attributesOf(path: string): string {
  const [attributes = ""] = execFileSync("lsattr", ["-d", path], { encoding: "utf8" }).split(" ");
  return attributes;
}

test("tokens are written through to the disk, those of new tables and of tables that are there", async (context) => {
  try {
    const probe = join(folder, "probe");
    await writeFile(probe, "");
    execFileSync("chattr", ["+S", probe], { stdio: "ignore" });
    expect(attributesOf(probe)).toContain("S");
  } catch {
    context.skip("needs chattr, and a file system that has its S");
  }
  const storage = await startStorage(folder);
  await ask(storage.url, `CREATE TABLE kept (n UInt32) ${withTokens}`);
  await ask(storage.url, "CREATE TABLE plain (n UInt32) ENGINE = MergeTree ORDER BY n");
  await ask(storage.url, "INSERT INTO kept SELECT 1 SETTINGS insert_deduplication_token = 'a'");
  const pathOf = async (url: string, table: string) =>
    await ask(
      url,
      `SELECT data_paths[1] FROM system.tables WHERE database = 'default' AND name = '${table}'`,
    );
  const tokens = join(await pathOf(storage.url, "kept"), "deduplication_logs");
  const log = join(tokens, "deduplication_log_1.txt");
  expect(await readFile(log, "utf8")).toContain("all_1_1_0");
  expect([attributesOf(tokens), attributesOf(log)]).toEqual([
    expect.stringContaining("S"),
    expect.stringContaining("S"),
  ]);
  // Parts are synced when they are complete, not with every write.
  expect(attributesOf(join(tokens, ".."))).not.toContain("S");
  expect(attributesOf(await pathOf(storage.url, "plain"))).not.toContain("S");
  await storage.stop();
  // The state that an earlier version left.
  execFileSync("chattr", ["-S", tokens, log]);
  const again = await startStorage(folder);
  expect(attributesOf(log)).toContain("S");
  await again.stop();
});

test("what a merge wrote is synced, and what it was made of is deleted soon after", async () => {
  const storage = await startStorage(folder);
  try {
    expect(
      await ask(
        storage.url,
        "SELECT value FROM system.merge_tree_settings WHERE name = 'min_rows_to_fsync_after_merge'",
      ),
    ).toBe("1");
    await ask(storage.url, `CREATE TABLE t (n UInt32) ${withTokens}`);
    for (let n = 0; n < 3; n++) {
      await ask(storage.url, `INSERT INTO t SELECT ${n}`);
    }
    await ask(storage.url, "OPTIMIZE TABLE t FINAL");
    const parts = "SELECT arraySort(groupArray((name, active))) FROM system.parts WHERE table = 't'";
    expect(await ask(storage.url, parts)).toContain("('all_1_3_1',1)");
    await askUntil(storage.url, parts, "[('all_1_3_1',1)]");
  } finally {
    await storage.stop();
  }
});

test("a version file that was never synced, or says nothing any more, does not keep the storage from its data", async () => {
  const first = await startStorage(folder);
  await ask(first.url, "CREATE TABLE t (n UInt32) ENGINE = MergeTree ORDER BY n");
  await first.stop();
  const version = join(folder, "version.json");
  const text = await readFile(version, "utf8");
  await writeFile(version, "");
  const again = await startStorage(folder);
  expect(await ask(again.url, "EXISTS TABLE t")).toBe("1");
  expect(await readFile(version, "utf8")).toBe(text);
  await again.stop();
  await writeFile(version, '{"layout":');
  const third = await startStorage(folder);
  expect(await ask(third.url, "EXISTS TABLE t")).toBe("1");
  expect(await readFile(version, "utf8")).toBe(text);
  expect(await readFile(`${version}.damaged`, "utf8")).toBe('{"layout":');
  await third.stop();
});
