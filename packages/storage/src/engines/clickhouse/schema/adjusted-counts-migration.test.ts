import { afterAll, beforeAll, expect, test } from "vitest";
import { newTraceId, noonUnixNano } from "../../../contract/sample-spans.ts";
import { openClickHouseStore } from "../clickhouse-store.ts";
import { noteRepeatedSql } from "../repeated/repeated-spans-sql.ts";
import { newDatabaseName, runSql, startTestServer, type TestServer } from "../test-server.ts";
import { adjustedCountsMigration } from "./adjusted-counts-migration.ts";
import { migrations } from "./migrations.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

test("leaves older counts as they are, as ones that tell nothing, and new ones tell", async () => {
  const database = newDatabaseName();
  const sql = (text: string) => runSql(server.url, text);
  await sql(`CREATE DATABASE ${database}`);
  const added = adjustedCountsMigration.statements(database);
  for (const step of migrations.slice(0, adjustedCountsMigration.version - 1)) {
    for (const statement of step.statements(database)) {
      await sql(statement);
    }
  }
  await sql(
    `CREATE TABLE ${database}.schema_migrations (version UInt32, name String, applied DateTime('UTC') DEFAULT now()) ENGINE = MergeTree ORDER BY version`,
  );
  await sql(
    `INSERT INTO ${database}.schema_migrations (version, name) VALUES (${adjustedCountsMigration.version - 1}, 'older')`,
  );
  // Copies are searched among the spans of today.
  const today = new Date().toISOString().slice(0, 10);
  // Inserts without the writer, which would search copies at its own times.
  const insert = (id: string, traceId = newTraceId(), token = id) =>
    sql(
      `INSERT INTO ${database}.spans (in_service, in_name, kind, trace_id, span_id, start, duration, trace_state, in_tenant) SETTINGS insert_deduplication_token = '${today}/${token}' VALUES ('s', 'op', 'server', unhex('${traceId}'), '${id}', fromUnixTimestamp64Nano(${noonUnixNano}), 1000, 'ot=th:c', '')`,
    );
  await insert("before 1");
  const store = openClickHouseStore({ urls: [server.url], database });
  await store.ready();
  // The statement of another process that started at the same moment.
  for (const statement of added) {
    await sql(statement);
  }
  await insert("after  1");
  const traceId = newTraceId();
  for (const token of ["first", "again", "once more"]) {
    await insert("repeated", traceId, token);
  }
  await sql(
    noteRepeatedSql((table) => `${database}.${table}`, { seconds: 900, lateSeconds: 900 }, undefined),
  );
  await sql(`OPTIMIZE TABLE ${database}.span_metrics FINAL`);

  const noonUnixMs = Number(noonUnixNano / 1_000_000n);
  const { names } = await store.metrics.getRankedRates({
    ...{ contains: "", spanKinds: ["server"], order: "calls", limit: 10, offset: 0, adjusted: true },
    ...{ startUnixMs: noonUnixMs, endUnixMs: noonUnixMs + 60_000, stepMs: 60_000 },
  });
  // One span from before the migration, one from after it, and one that was stored three times.
  expect(names[0]?.whole.calls).toBe(3);
  expect(names[0]?.whole.adjusted).toMatchObject({ calls: 1 + 4 + 4, unknown: 1, least: 4, greatest: 4 });
  await store.close();
});
