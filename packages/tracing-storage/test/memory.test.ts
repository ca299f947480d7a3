import { availableParallelism } from "node:os";
import { expect, test, vi } from "vitest";
import { ask, askUntil, shareStorage } from "./running-storage.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
const storage = shareStorage();

async function threads(): Promise<number> {
  return Number(await ask(storage.url, "SELECT value FROM system.metrics WHERE metric = 'GlobalThread'"));
}

test("the engine's allocator has few arenas, keeps freed memory for a while, and little for each thread", async () => {
  const facts = await ask(storage.url, "SELECT * FROM system.jemalloc_stats FORMAT TSVRaw");
  const option = (name: string) => new RegExp(`opt\\.${name}: (\\S+)`).exec(facts)?.[1];
  expect(option("percpu_arena")).toBe('"disabled"');
  expect(Number(option("narenas"))).toBeLessThanOrEqual(4);
  expect(option("tcache_max")).toBe("4096");
  expect(option("dirty_decay_ms")).toBe("15000");
});

test("many parts are deleted by few threads, and idle ones end", async () => {
  await ask(storage.url, "CREATE TABLE old (n UInt64) ENGINE = MergeTree PARTITION BY n ORDER BY n");
  const before = await threads();
  await ask(
    storage.url,
    "INSERT INTO old SELECT number FROM numbers(120) SETTINGS max_partitions_per_insert_block = 0",
  );
  await ask(storage.url, "DROP TABLE old SYNC");
  expect(await threads()).toBeLessThanOrEqual(before + 16);
});

const cores = availableParallelism();

test("merges are as many as there are cores, the last of them small, and hold little", async () => {
  const settingOf = async (table: string, name: string) =>
    await ask(storage.url, `SELECT value FROM system.${table} WHERE name = '${name}'`);
  const pool = await ask(
    storage.url,
    "SELECT value FROM system.metrics WHERE metric = 'BackgroundMergesAndMutationsPoolSize'",
  );
  const merges = Math.max(2, cores);
  expect(Number(pool)).toBe(merges);
  expect(
    Number(
      await settingOf("merge_tree_settings", "number_of_free_entries_in_pool_to_lower_max_size_of_merge"),
    ),
  ).toBe(Math.min(merges, 8));
  expect(await settingOf("merge_tree_settings", "merge_max_block_size")).toBe("4096");
  expect(await settingOf("merge_tree_settings", "max_compress_block_size")).toBe("524288");
});

// The test takes 300 MiB of memory for each core.
test.skipIf(cores > 4)(
  "while the engine holds more than 180 MiB for each core, what is freed goes back at once",
  async () => {
    const given = (than: string) =>
      `SELECT sum(value) ${than} FROM system.events WHERE event = 'MemoryAllocatorPurge'`;
    expect(await ask(storage.url, given("= 0"))).toBe("1");
    await ask(storage.url, "CREATE TABLE held (n UInt64) ENGINE = Memory");
    await ask(storage.url, `INSERT INTO held SELECT number FROM numbers(${cores * 300 * 131_072})`);
    await askUntil(storage.url, given("> 0"), "1");
    await ask(storage.url, "DROP TABLE held SYNC");
  },
);
