import { afterAll, beforeAll, expect, test } from "vitest";
import { newToken, rowsOfTenant } from "../../../contract/contract-context.ts";
import { sampleSpan } from "../../../contract/sample-spans.ts";
import { openClickHouseStore } from "../clickhouse-store.ts";
import { newDatabaseName, runSql, startTestServer, type TestServer } from "../test-server.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

test("writes a part of operations only for what is new: an operation, its kind, its tenant, its day", async () => {
  const database = newDatabaseName();
  const store = openClickHouseStore({ urls: [server.url], database });
  await store.ready();
  await runSql(server.url, `SYSTEM STOP MERGES ${database}.operations`);
  const day = Date.UTC(2026, 10, 22);
  const write = async (span: Parameters<typeof sampleSpan>[0], tenant = "", receivedUnixMs = day) => {
    const options = { deduplicationToken: newToken(), receivedUnixMs };
    await store.writer.writeSpans(rowsOfTenant(tenant, sampleSpan({ service: "s", ...span })), options);
    const sql = `SELECT count() FROM system.parts WHERE database = '${database}' AND table = 'operations' AND active`;
    return Number(await runSql(server.url, sql));
  };
  expect(await write({ name: "one", kind: "server" })).toBe(1);
  expect(await write({ name: "one", kind: "server" })).toBe(1);
  expect(await write({ name: "two", kind: "server" })).toBe(2);
  expect(await write({ name: "two", kind: "client" })).toBe(3);
  expect(await write({ name: "two", kind: "client" }, "other")).toBe(4);
  expect(await write({ name: "two", kind: "client" }, "other", day + 86_400_000)).toBe(5);
  expect(await write({ name: "two", kind: "client" }, "other", day + 86_400_000)).toBe(5);

  const rows = `SELECT tenant, name, kind, max(last_received) FROM ${database}.operations GROUP BY tenant, name, kind ORDER BY tenant, name, kind FORMAT CSV`;
  expect((await runSql(server.url, rows)).split("\n")).toEqual([
    '"","one","server","2026-11-22"',
    '"","two","server","2026-11-22"',
    '"","two","client","2026-11-22"',
    '"other","two","client","2026-11-23"',
  ]);
  await runSql(server.url, `TRUNCATE TABLE ${database}.operations`);
  expect(await write({ name: "one", kind: "server" })).toBe(1);
  await store.close();
});

test("writes operations once more when more of them are known than are looked at", async () => {
  const database = newDatabaseName();
  const store = openClickHouseStore({ urls: [server.url], database });
  await store.ready();
  await runSql(
    server.url,
    `INSERT INTO ${database}.operations (service, name, kind, last_received) SELECT 'a', toString(number), 'server', '2026-11-22' FROM numbers(30000)`,
  );
  for (const name of ["one", "two"]) {
    await store.writer.writeSpans(rowsOfTenant("", sampleSpan({ service: "s", name })), {
      deduplicationToken: newToken(),
    });
  }
  expect(await store.reader.getOperations({ service: "s" })).toHaveLength(2);
  await store.close();
});
