import { freeAddresses } from "lifecycle/testing";
import type { TraceStore } from "storage/api";
import { openClickHouseStore } from "storage/clickhouse";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { type ObjectStorage, objectProgram, startObjectStorage } from "./object-storage.ts";
import {
  ask,
  askUntil,
  makeFolder,
  type RunningStorage,
  removeFolder,
  runToEnd,
  startStorage,
} from "./running-storage.ts";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
const idOf = (ago: number) => String(ago).padStart(32, "0");
/** Days before today with a trace of three spans each. */
const daysAgo = [12, 9, 2, 0];

let folder: string;
let bucket: ObjectStorage;
let storage: RunningStorage;
let admin = "";

async function begin(...flags: readonly string[]): Promise<void> {
  const [address = ""] = await freeAddresses(1);
  admin = address;
  storage = await startStorage(folder, `--admin.http.host-port=${admin}`, ...flags);
}

const metric = async (name: string): Promise<number> => {
  const text = await (await fetch(`http://${admin}/metrics`)).text();
  const line = text.split("\n").find((one) => one.startsWith(`${name} `) || one.startsWith(`${name}{`));
  return Number(line?.split(" ").at(-1) ?? 0);
};

async function withStore<Result>(use: (store: TraceStore) => Promise<Result>): Promise<Result> {
  const store = openClickHouseStore({ urls: [storage.url] });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

const insert = (ago: number) =>
  ask(
    storage.url,
    `INSERT INTO tracing.spans (received, in_tenant, in_service, in_name, trace_id, span_id, start, duration)
     SELECT '${day(ago)}', if(number = 2, 'beta', ''), 'shop', 'GET /', unhex('${idOf(ago)}'),
       toFixedString(leftPad(toString(number), 8, '0'), 8), toDateTime64('${day(ago)} 08:00:00', 9, 'UTC') + number, 1000
     FROM numbers(3)`,
  );

const where = (table: string) =>
  `SELECT partition, any(disk_name) FROM system.parts WHERE active AND database = 'tracing' AND table = '${table}' GROUP BY partition ORDER BY partition`;
const tracesOf = (ago: number) =>
  withStore(async ({ reader }) => (await reader.getTraces([idOf(ago)])).length);

beforeAll(async () => {
  if (objectProgram === undefined) {
    return;
  }
  bucket = await startObjectStorage();
  folder = await makeFolder();
  await begin();
  await withStore((store) => store.ready());
  for (const ago of daysAgo) {
    await insert(ago);
  }
  await storage.stop();
});
afterAll(async () => {
  if (objectProgram !== undefined) {
    await removeFolder(folder);
    await bucket.close();
  }
});

afterEach(async () => {
  await storage?.stop();
});

const run = test.skipIf(objectProgram === undefined);

run("old days move to the bucket and are found as before (skipped without an S3 server)", async () => {
  await begin(...bucket.flags, "--storage.cold.after=7d");
  const expected = `${day(12)}\tcold_cached\n${day(9)}\tcold_cached\n${day(2)}\tdefault\n${day(0)}\tdefault`;
  await askUntil(storage.url, where("spans"), expected);
  // The index of traces stays local: reads of traces begin there.
  expect(await ask(storage.url, where("trace_minutes"))).not.toContain("cold");
  expect(await bucket.count()).toBeGreaterThan(5);
  await vi.waitFor(async () => {
    expect(await metric("tracing_storage_cold_moved_parts_total")).toBe(2);
  }, 60_000);
  // The reader of files answers for local days only, and must not take a moved day for an empty one.
  await vi.waitFor(async () => {
    expect(await tracesOf(2)).toBe(1);
    expect(await metric('tracing_storage_point_reads_total{by="parts"}')).toBeGreaterThan(0);
  }, 60_000);
  for (const ago of daysAgo) {
    expect([ago, await tracesOf(ago)]).toEqual([ago, 1]);
  }
  const found = await withStore(({ reader }) =>
    reader.findTraceIds({
      service: "shop",
      ...{ startMinUnixNano: 0n, startMaxUnixNano: BigInt(Date.now()) * 1_000_000n, limit: 20 },
    }),
  );
  expect(found).toHaveLength(daysAgo.length);
});

test.skipIf(objectProgram !== "versitygw")(
  "a wrong key ends the first start (skipped without the Versity S3 Gateway)",
  async () => {
    const other = await makeFolder();
    const flags = bucket.flags.map((flag) => flag.replace(/(secret-access-key)=.*/, "$1=wrong-secret"));
    const { exitCode, output } = await runToEnd(other, ...flags);
    expect(exitCode).toBe(1);
    expect(output).toContain(`the bucket ${bucket.endpoint} cannot be used: `);
    await removeFolder(other);
  },
);

run("a start without the bucket, or with another one, is refused", async () => {
  const without = await runToEnd(folder);
  expect(without.exitCode).toBe(1);
  expect(without.output).toContain(`are in ${bucket.endpoint}: start with --storage.cold.endpoint`);
  const other = bucket.flags.map((flag) => flag.replace("/cold/", "/other/"));
  const moved = await runToEnd(folder, ...other);
  expect(moved.exitCode).toBe(1);
  expect(moved.output).toContain(`are in ${bucket.endpoint}, not in `);
});

run("while the bucket is away, new spans come in, new days are read, and old ones are an error", async () => {
  await begin(...bucket.flags, "--storage.cold.after=7d", "--storage.cold.cache-bytes=1MiB");
  expect(await tracesOf(9)).toBe(1);
  await ask(storage.url, "SYSTEM DROP FILESYSTEM CACHE");
  await ask(storage.url, "SYSTEM DROP UNCOMPRESSED CACHE");
  await ask(storage.url, "SYSTEM DROP MARK CACHE");
  await bucket.away();
  await insert(0);
  expect(await tracesOf(2)).toBe(1);
  await expect(tracesOf(12)).rejects.toThrow();
  await bucket.back();
  expect(await tracesOf(12)).toBe(1);
});

run("a start while the bucket is away says so, and loses nothing", async () => {
  await bucket.away();
  const { exitCode, output } = await runToEnd(folder, ...bucket.flags);
  expect(exitCode).toBe(1);
  expect(output).toContain(`the bucket ${bucket.endpoint} does not answer`);
  await bucket.back();
  await begin(...bucket.flags, "--storage.cold.after=7d");
  expect(await tracesOf(9)).toBe(1);
});

run("a day that cannot be moved stays on the disk, and moves when the bucket is back", async () => {
  await begin(...bucket.flags, "--storage.cold.after=1000d", "--storage.retention-interval=1s");
  await ask(storage.url, `ALTER TABLE tracing.spans MOVE PARTITION '${day(9)}' TO VOLUME 'default'`);
  await storage.stop();
  // Its objects are gone too, so only those of the older day are left.
  const objects = await bucket.count();
  await begin(...bucket.flags, "--storage.cold.after=1000d");
  await bucket.away();
  await expect(
    ask(storage.url, `ALTER TABLE tracing.spans MOVE PARTITION '${day(9)}' TO VOLUME 'cold'`),
  ).rejects.toThrow("S3_ERROR");
  expect(await tracesOf(9)).toBe(1);
  await bucket.back();
  await storage.stop();
  expect(await bucket.count()).toBeLessThanOrEqual(objects);

  await begin(...bucket.flags, "--storage.cold.after=7d");
  await askUntil(
    storage.url,
    where("spans"),
    `${day(12)}\tcold_cached\n${day(9)}\tcold_cached\n${day(2)}\tdefault\n${day(0)}\tdefault`,
  );
  expect(await tracesOf(9)).toBe(1);
});

run("a process that is killed while it moves days loses nothing", async () => {
  await begin(...bucket.flags, "--storage.cold.after=1000d");
  await insert(8);
  await storage.stop();
  for (let round = 0; round < 2; round++) {
    await begin(...bucket.flags, "--storage.cold.after=7d");
    await storage.kill();
  }
  await begin(...bucket.flags, "--storage.cold.after=7d");
  await askUntil(storage.url, `${where("spans")} LIMIT 1 OFFSET 2`, `${day(8)}\tcold_cached`);
  expect([await tracesOf(8), await tracesOf(9)]).toEqual([1, 1]);
  await ask(storage.url, `ALTER TABLE tracing.spans DROP PARTITION '${day(8)}'`);
});

run("spans in the bucket are deleted, and old days leave it", async () => {
  await begin(...bucket.flags, "--storage.retention=10d", "--storage.cold.after=7d");
  await askUntil(
    storage.url,
    "SELECT arrayStringConcat(arraySort(groupUniqArray(toString(received))), ' ') FROM tracing.spans",
    [day(9), day(2), day(0)].join(" "),
  );
  await ask(
    storage.url,
    "ALTER TABLE tracing.spans DELETE WHERE tenant = 'beta' SETTINGS mutations_sync = 1",
  );
  expect(await ask(storage.url, "SELECT countIf(tenant = 'beta'), count() > 5 FROM tracing.spans")).toBe(
    "0\t1",
  );
  expect(await tracesOf(9)).toBe(1);
});

run("with --storage.max-bytes days move early, the oldest first, and none is dropped", async () => {
  await begin(...bucket.flags, "--storage.cold.after=1000d", "--storage.max-bytes=1");
  await askUntil(
    storage.url,
    where("spans"),
    `${day(9)}\tcold_cached\n${day(2)}\tcold_cached\n${day(0)}\tdefault`,
  );
  expect(await tracesOf(2)).toBe(1);
});
