import { freeAddresses } from "lifecycle/testing";
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

/** Each test waits for processes to start. */
vi.setConfig({ testTimeout: 90_000 });

const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);

beforeAll(async () => {
  folder = await makeFolder();
  storage = await startStorage(folder);
  await ask(storage.url, "CREATE DATABASE tracing");
  await ask(storage.url, "CREATE DATABASE shop");
  for (const table of ["tracing.spans", "tracing.`it's`", "shop.orders"]) {
    await ask(
      storage.url,
      `CREATE TABLE ${table} (received Date, x String CODEC(NONE)) ENGINE = MergeTree PARTITION BY received ORDER BY ()`,
    );
    for (const ago of [0, 1, 2, 9]) {
      await ask(storage.url, `INSERT INTO ${table} SELECT '${day(ago)}', randomString(100000)`);
    }
  }
  await ask(
    storage.url,
    "CREATE TABLE tracing.archive (received Date) ENGINE = MergeTree PARTITION BY toYYYYMM(received) ORDER BY ()",
  );
  await ask(storage.url, `INSERT INTO tracing.archive VALUES ('${day(90)}')`);
  await storage.stop();
});

afterAll(async () => {
  await removeFolder(folder);
});

const days = (table: string) =>
  `SELECT arrayStringConcat(arraySort(groupArray(toString(received))), ' ') FROM ${table}`;

test("days go by age, in the tables of days of the database, and nowhere else", async () => {
  const [admin] = await freeAddresses(1);
  storage = await startStorage(folder, "--storage.retention=7d", `--admin.http.host-port=${admin}`);
  await askUntil(storage.url, days("tracing.spans"), [day(2), day(1), day(0)].join(" "));
  await askUntil(storage.url, days("tracing.`it's`"), [day(2), day(1), day(0)].join(" "));
  expect(await ask(storage.url, days("shop.orders"))).toContain(day(9));
  expect(await ask(storage.url, "SELECT count() FROM tracing.archive")).toBe("1");
  await expect
    .poll(async () => await (await fetch(`http://${admin}/metrics`)).text())
    .toContain('tracing_storage_retention_dropped_rows_total{table="tracing.it\'s"} 1\n');
  await storage.stop();
});

test("days go by size, the oldest first, in all tables; the newest stays", async () => {
  storage = await startStorage(folder, "--storage.max-bytes=450000");
  await askUntil(storage.url, days("tracing.spans"), [day(1), day(0)].join(" "));
  await askUntil(storage.url, days("tracing.`it's`"), [day(1), day(0)].join(" "));
  await storage.stop();
  storage = await startStorage(folder, "--storage.max-bytes=1");
  await askUntil(storage.url, days("tracing.`it's`"), day(0));
  await askUntil(storage.url, days("tracing.spans"), day(0));
  await storage.stop();
});
