import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { makeTables, run } from "./run-command.ts";
import {
  ask,
  askUntil,
  makeFolder,
  type RunningStorage,
  removeFolder,
  startStorage,
} from "./running-storage.ts";

vi.setConfig({ testTimeout: 90_000 });

let folder: string;
let storage: RunningStorage;

beforeAll(async () => {
  folder = await makeFolder();
  storage = await startStorage(join(folder, "data"));
  await makeTables(storage.url);
  for (const table of ["spans", "archived_spans"]) {
    // Three spans a tenant: of now, of three days ago, of ten days ago.
    await ask(
      storage.url,
      `INSERT INTO tracing.${table} (in_tenant, in_service, in_name, trace_id, span_id, start, duration)
       SELECT arrayElement(['acme', 'beta', 'x=1', ''], 1 + number % 4), 'shop', 'GET /',
         unhex(leftPad(toString(number), 32, '0')), toFixedString(leftPad(toString(number), 8, '0'), 8),
         now64(9, 'UTC') - toIntervalDay(arrayElement([0, 3, 10], 1 + intDiv(number, 4))), 1 FROM numbers(12)`,
    );
  }
  await storage.stop();
});
afterAll(async () => {
  await removeFolder(folder);
});

const counts = (table: string) =>
  `SELECT arrayStringConcat(groupArray(tenant || ':' || toString(spans)), ' ') FROM
   (SELECT tenant, count() AS spans FROM tracing.${table} GROUP BY tenant ORDER BY tenant)`;

test("spans of a tenant go by its own age; those of others and the archive stay", async () => {
  storage = await startStorage(join(folder, "data"), "--storage.tenant-retention=acme=7d,x=1=1d");
  await askUntil(storage.url, counts("spans"), ":3 acme:2 beta:3 x=1:1");
  expect(await ask(storage.url, counts("archived_spans"))).toBe(":3 acme:3 beta:3 x=1:3");
  await askUntil(storage.url, "SELECT uniqExact(trace_id) FROM tracing.trace_minutes", "9");
});

test("the command counts, and deletes with --yes", async () => {
  const asked = ["retain", "--url", storage.url, "--tenant-retention", "acme=2d,beta=7d"];
  expect(await run(...asked)).toMatchObject({ exitCode: 0, output: "acme: 1 spans\nbeta: 1 spans\n" });
  expect(await ask(storage.url, counts("spans"))).toBe(":3 acme:2 beta:3 x=1:1");
  expect(await run(...asked, "--yes")).toMatchObject({
    ...{ exitCode: 0, output: "acme: 1 spans deleted, 0 left\nbeta: 1 spans deleted, 0 left\n" },
  });
  expect(await ask(storage.url, counts("spans"))).toBe(":3 acme:1 beta:2 x=1:1");
  await storage.stop();
});

test.each([
  ["", "retain: name the servers"],
  ["acme", "does not begin with the name of a tenant"],
  ["=7d", "does not begin with the name of a tenant"],
  ["acme=", "does not end with a duration"],
  ["acme=23h", "a duration of a day or more"],
  ["acme=-7d", "a duration of a day or more"],
  ["acme=7d,acme=8d", "is named twice"],
])("an age that is wrong is refused: %j", async (text, message) => {
  const { exitCode, errors } = await run("retain", "--url", "http://127.0.0.1:1", "--tenant-retention", text);
  expect([exitCode, errors]).toEqual([1, expect.stringContaining(message)]);
});
