// A byte on the disk changes: the store must report this, and continue with the other data.

import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freeAddresses } from "lifecycle/testing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ask, makeFolder, type RunningStorage, removeFolder, startStorage } from "./running-storage.ts";

/** Each test starts processes. */
vi.setConfig({ testTimeout: 120_000 });

/**
 * The engine hashes a damaged block once for each of its bits, to find the changed bit. That takes seven seconds of a
 * core for 128 KiB, and minutes on a busy machine. Small blocks keep it short.
 */
const smallBlocks = "index_granularity = 512, min_compress_block_size = 4096, max_compress_block_size = 8192";
const settings = `min_bytes_for_wide_part = 0, min_bytes_for_full_part_storage = 0, ${smallBlocks}`;
const whole = "SELECT count(), sum(cityHash64(text)) FROM tracing.t";
const byIndex = "SELECT count() FROM tracing.t WHERE text = 'none'";
const byKey = "SELECT count() FROM tracing.t WHERE k = 100";

let folder: string;
let storage: RunningStorage;
let admin: string;
/** Facts about the damaged part. */
let partFolder: string;
let goodSum: string;

async function start(): Promise<void> {
  [admin = ""] = await freeAddresses(1);
  storage = await startStorage(folder, `--admin.http.host-port=${admin}`);
}

const metrics = async () => await (await fetch(`http://${admin}/metrics`)).text();
const health = async () => (await (await fetch(`http://${admin}/`)).json()) as { degraded?: string[] };

// A process that a failed test leaves behind uses its folder, so each test has a new folder.
beforeEach(async () => {
  folder = await makeFolder();
  await start();
  await ask(storage.url, "CREATE DATABASE tracing");
  await ask(
    storage.url,
    `CREATE TABLE tracing.t (day Date, k UInt64, text String, INDEX i text TYPE bloom_filter GRANULARITY 1) ENGINE = MergeTree PARTITION BY day ORDER BY k SETTINGS ${settings}`,
  );
  for (const day of ["2026-11-25", "2026-11-26"]) {
    await ask(
      storage.url,
      `INSERT INTO tracing.t SELECT '${day}', number, hex(sipHash64(number)) FROM numbers(20000)`,
    );
  }
  goodSum = await ask(storage.url, `${whole} WHERE day = '2026-11-26'`);
  const [path = ""] = (
    await ask(storage.url, "SELECT path FROM system.parts WHERE active AND table = 't' ORDER BY partition")
  ).split("\n");
  partFolder = join(folder, "engine", path.replace(/^.*?(?=store\/)/, ""));
});

afterEach(async () => {
  await removeFolder(folder);
});

/** Changes the byte in the middle of a file of the first part. */
function flip(file: string): Promise<void> {
  return flipAt(join(partFolder, file));
}

async function flipAt(path: string): Promise<void> {
  const bytes = await readFile(path);
  const middle = bytes.length >> 1;
  bytes[middle] = (bytes[middle] as number) ^ 0xff;
  await writeFile(path, bytes);
}

test("a column that is damaged: its part is set aside, said and counted, and the rest is read", async () => {
  await storage.stop();
  await flip("text.bin");
  await start();
  const output: string[] = [];
  storage.process.stdout?.on("data", (chunk) => output.push(String(chunk)));
  storage.process.stderr?.on("data", (chunk) => output.push(String(chunk)));
  expect(await ask(storage.url, whole)).toBe(goodSum);
  expect(await ask(storage.url, byKey)).toBe("1");
  expect(await metrics()).toContain(
    'tracing_storage_damaged_parts_total{table="tracing.t",found="read"} 1\n',
  );
  expect(await metrics()).toMatch(/^tracing_storage_damaged_parts_set_aside 1$/m);
  expect((await health()).degraded).toEqual([
    "damaged parts of the store that are set aside: 1; answers lack what they hold",
  ]);
  await expect
    .poll(() => output.join(""), { timeout: 60_000 })
    .toMatch(
      /"level":"error".*of tracing\.t is damaged and set aside: 20000 rows received from 2026-11-25 to 2026-11-25 are missing from answers/,
    );
  const missing = async (sql: string) => {
    const { headers } = await fetch(storage.url, { method: "POST", body: sql });
    return JSON.parse(headers.get("x-tracing-partial") ?? "[]") as { kind: string; name: string }[];
  };
  expect(await missing(whole)).toMatchObject([
    { kind: "part-damaged", name: expect.stringMatching(/^tracing\.t 20261125_/) },
  ]);
  expect(await missing("SELECT 1")).toEqual([]);
  await storage.stop();
  await start();
  expect(await missing(byKey)).toHaveLength(1);
  // A set-aside part can be restored once its file is whole again.
  const detached = join(partFolder, "..", "detached");
  const [part = ""] = await readdir(detached);
  partFolder = join(detached, part);
  await flip("text.bin");
  await ask(storage.url, `ALTER TABLE tracing.t ATTACH PART '${part}'`);
  expect((await ask(storage.url, whole)).split("\t")[0]).toBe("40000");
  expect(await missing(whole)).toEqual([]);
  await storage.stop();
});

/** A table with one damaged part of random texts, in blocks of this many bytes, and one more part. */
async function makeLargeBlocks(table: string, bytes: number): Promise<void> {
  const blocks = `min_compress_block_size = ${bytes}, max_compress_block_size = ${bytes}`;
  await ask(
    storage.url,
    `CREATE TABLE ${table} (day Date, text String) ENGINE = MergeTree PARTITION BY day ORDER BY day SETTINGS min_bytes_for_wide_part = 0, min_bytes_for_full_part_storage = 0, ${blocks}`,
  );
  for (const [day, rows] of [
    ["2026-11-25", 4_000],
    ["2026-11-26", 7],
  ]) {
    await ask(storage.url, `INSERT INTO ${table} SELECT '${day}', randomString(1000) FROM numbers(${rows})`);
  }
  const [path = ""] = (
    await ask(
      storage.url,
      `SELECT path FROM system.parts WHERE active AND database || '.' || table = '${table}' ORDER BY partition`,
    )
  ).split("\n");
  await flipAt(join(folder, "engine", path.replace(/^.*?(?=store\/)/, ""), "text.bin"));
  await ask(storage.url, "SYSTEM DROP UNCOMPRESSED CACHE");
}

test("the engine looks for the flipped bit of a block for long: nobody waits for it", async () => {
  // The search takes some seconds, and the client leaves before.
  await makeLargeBlocks("tracing.u", 65_536);
  const left = fetch(storage.url, {
    method: "POST",
    body: "SELECT sum(cityHash64(text)) FROM tracing.u",
    signal: AbortSignal.timeout(300),
  });
  await expect(left).rejects.toThrow();
  await expect
    .poll(metrics, { timeout: 90_000, interval: 250 })
    .toContain('tracing_storage_damaged_parts_total{table="tracing.u",found="read"} 1\n');
  expect(await ask(storage.url, "SELECT count() FROM tracing.u")).toBe("7");
  // A requested merge finds the damage, too, and the next one works without the part.
  await makeLargeBlocks("tracing.x", 4_096);
  await expect(ask(storage.url, "OPTIMIZE TABLE tracing.x FINAL")).rejects.toThrow("Checksum doesn't match");
  await expect
    .poll(metrics, { timeout: 90_000, interval: 250 })
    .toContain('tracing_storage_damaged_parts_total{table="tracing.x",found="read"} 1\n');
  await ask(storage.url, "OPTIMIZE TABLE tracing.x FINAL");
  // Open files are known on Linux only.
  if (process.platform === "linux") {
    // The search takes minutes, and reads are answered meanwhile.
    await makeLargeBlocks("tracing.v", 1_000_000);
    const sum = "SELECT count(), sum(cityHash64(text)) > 0 FROM tracing.v";
    expect(await Promise.all([ask(storage.url, sum), ask(storage.url, sum)])).toEqual(["7\t1", "7\t1"]);
    const searching =
      "SELECT count() > 0 FROM system.processes WHERE ProfileEvents['CompressedReadBufferChecksumDoesntMatch'] > 0";
    expect(await ask(storage.url, searching)).toBe("1");
    const { headers } = await fetch(storage.url, { method: "POST", body: sum });
    expect(headers.get("x-tracing-partial")).toContain("part 20261125_1_1_0 of tracing.v is damaged");
    expect(await metrics()).toContain(
      'tracing_storage_damaged_parts_total{table="tracing.v",found="read"} 1\n',
    );
  }
  // The engine waits for its statements before it ends.
  await storage.kill();
});

test("a byte in any file of a part: the store starts, answers, and says so", async () => {
  const files = (await readdir(partFolder)).sort();
  expect(files.length).toBeGreaterThan(12);
  // A table for each file, so that one start is enough.
  const folders: string[] = [];
  for (const [index] of files.entries()) {
    await ask(storage.url, `CREATE TABLE tracing.t${index} AS tracing.t`);
    for (const day of ["2026-11-25", "2026-11-26"]) {
      await ask(storage.url, `INSERT INTO tracing.t${index} SELECT * FROM tracing.t WHERE day = '${day}'`);
    }
    const path = `SELECT path FROM system.parts WHERE active AND table = 't${index}' ORDER BY partition LIMIT 1`;
    folders.push(join(folder, "engine", (await ask(storage.url, path)).replace(/^.*?(?=store\/)/, "")));
  }
  await storage.stop();
  for (const [index, file] of files.entries()) {
    partFolder = folders[index] as string;
    await flip(file);
  }
  await start();
  for (const [index, file] of files.entries()) {
    for (const question of [whole, byIndex, byKey]) {
      const answer = ask(storage.url, question.replace("tracing.t", `tracing.t${index}`));
      await expect(answer, `${file}: ${question}`).resolves.toBeDefined();
    }
    const [rows] = (await ask(storage.url, whole.replace("tracing.t", `tracing.t${index}`))).split("\t");
    const said = await metrics();
    const isSaid = said.includes(`tracing_storage_damaged_parts_total{table="tracing.t${index}"`);
    // Damage in unread data is found by the check of all parts.
    expect([file, rows], said).toEqual([file, isSaid ? "20000" : "40000"]);
  }
  const quiet = [
    "default_compression_codec.txt",
    "metadata_version.txt",
    "k.bin",
    "day.bin",
    "minmax_day.idx",
  ];
  const [found = "0"] = /(?<=^tracing_storage_damaged_parts_set_aside )\d+/m.exec(await metrics()) ?? [];
  expect(Number(found)).toBeGreaterThanOrEqual(files.length - quiet.length);
  await storage.stop();
});

// By default the engine refuses a table with more than 100 such parts, or 1 GiB, and the store would never start again.
test("however many parts cannot be loaded: the store starts, and says so", async () => {
  await ask(
    storage.url,
    "CREATE TABLE tracing.w (k UInt64) ENGINE = MergeTree PARTITION BY k ORDER BY k SETTINGS old_parts_lifetime = 1",
  );
  const parts = 110;
  for (const first of [0, parts / 2]) {
    await ask(
      storage.url,
      `INSERT INTO tracing.w SELECT number + ${first} FROM numbers(${parts / 2}) SETTINGS max_partitions_per_insert_block = 0`,
    );
  }
  const paths = await ask(storage.url, "SELECT path FROM system.parts WHERE active AND table = 'w'");
  await storage.stop();
  for (const path of paths.split("\n")) {
    await writeFile(join(folder, "engine", path.replace(/^.*?(?=store\/)/, ""), "checksums.txt"), "");
  }
  await start();
  expect(await ask(storage.url, whole)).toContain("40000");
  expect(await ask(storage.url, "SELECT count() FROM tracing.w")).toBe("0");
  expect(await metrics()).toContain(
    `tracing_storage_damaged_parts_total{table="tracing.w",found="start"} ${parts}\n`,
  );
  await storage.stop();
});

test("a byte in a file by which the store knows its tables, or itself: it is put right, said and counted", async () => {
  const sum = await ask(storage.url, whole);
  const ofTables = (
    await ask(storage.url, "SELECT metadata_path FROM system.tables WHERE database = 'tracing'")
  )
    .split("\n")
    .map((path) => path.replace(/^.*?(?=store\/)/, ""));
  await storage.stop();
  const engineFolder = join(folder, "engine");
  const files = [
    ...[
      ...ofTables,
      "metadata/tracing.sql",
      join(partFolder, "../format_version.txt").slice(engineFolder.length),
    ].map((name) => join(engineFolder, name)),
    join(folder, "version.json"),
  ];
  const written = await Promise.all(files.map((file) => readFile(file, "utf8")));
  for (const file of files) {
    await flipAt(file);
  }
  await start();
  expect(await ask(storage.url, whole)).toBe(sum);
  expect(await metrics()).toMatch(new RegExp(`^tracing_storage_mended_files_total ${files.length}$`, "m"));
  expect(await Promise.all(files.map((file) => readFile(file, "utf8")))).toEqual(written);
  // A table that is changed is no damage, and a copy that is damaged costs nothing.
  await ask(storage.url, "ALTER TABLE tracing.t MODIFY COLUMN k UInt64 COMMENT 'a'");
  await ask(storage.url, "ALTER TABLE tracing.t MODIFY COLUMN k UInt64 COMMENT 'b'");
  await storage.kill();
  await start();
  expect(await ask(storage.url, "SELECT comment FROM system.columns WHERE table = 't' AND name = 'k'")).toBe(
    "b",
  );
  await storage.stop();
  await flipAt(join(folder, "engine-metadata.json"));
  await start();
  expect(await ask(storage.url, whole)).toBe(sum);
  expect(await metrics()).toMatch(/^tracing_storage_mended_files_total 1$/m);
  await storage.stop();
});

test("set-aside parts over the limit are deleted, the oldest first; what people detach stays", async () => {
  await ask(storage.url, "ALTER TABLE tracing.t DETACH PARTITION '2026-11-26'");
  const held = "SELECT name, reason FROM system.detached_parts WHERE table = 't' ORDER BY name";
  const [byHand = ""] = (await ask(storage.url, held)).split("\t");
  await flip("text.bin");
  await ask(storage.url, "SYSTEM DROP UNCOMPRESSED CACHE");
  await ask(storage.url, whole);
  expect((await ask(storage.url, held)).split("\n")).toHaveLength(2);
  await storage.stop();
  [admin = ""] = await freeAddresses(1);
  const limits = ["--storage.damaged-max-bytes=1", "--storage.retention-interval=1s"];
  storage = await startStorage(folder, `--admin.http.host-port=${admin}`, ...limits);
  await expect
    .poll(metrics, { timeout: 60_000, interval: 250 })
    .toMatch(/^tracing_storage_set_aside_dropped_parts_total\{reason="size"\} [1-9]/m);
  expect((await ask(storage.url, held)).split("\t")[0]).toBe(byHand);
  const { headers } = await fetch(storage.url, { method: "POST", body: whole });
  expect(headers.get("x-tracing-partial")).toContain("is damaged and dropped: 20000 rows");
  expect(await metrics()).toMatch(/^tracing_storage_set_aside_bytes 0$/m);
  await storage.stop();
});

test("the check of all parts finds what no question has read", async () => {
  await storage.stop();
  await flip("minmax_day.idx");
  [admin = ""] = await freeAddresses(1);
  storage = await startStorage(folder, `--admin.http.host-port=${admin}`, "--storage.check-interval=1s");
  await expect
    .poll(metrics, { timeout: 90_000, interval: 500 })
    .toContain('tracing_storage_damaged_parts_total{table="tracing.t",found="check"} 1\n');
  expect(await ask(storage.url, whole)).toBe(goodSum);
  expect(await metrics()).toMatch(/^tracing_storage_checked_parts_total [1-9]/m);
  await storage.stop();
});
