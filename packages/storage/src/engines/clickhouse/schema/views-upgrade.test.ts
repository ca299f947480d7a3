import { beforeEach, expect, test } from "vitest";
import { runSql } from "../test-server.ts";
import { adjustedCountsMigration } from "./adjusted-counts-migration.ts";
import { migrations } from "./migrations.ts";
import { databasePerTest } from "./testing/database-per-test.ts";

const server = databasePerTest();
const { open } = server;
let database: string;

beforeEach(() => {
  database = server.database;
});

const sql = (statement: string) => runSql(server.url, statement);

/** Creates the tables of the last version before the view of rates changed its query. */
async function olderDatabase(): Promise<void> {
  const before = adjustedCountsMigration.version - 1;
  await sql(`CREATE DATABASE ${database}`);
  for (const statement of migrations.slice(0, before).flatMap((step) => step.statements(database))) {
    await sql(statement);
  }
  await sql(
    `CREATE TABLE ${database}.schema_migrations (version UInt32, name String, applied DateTime('UTC') DEFAULT now()) ENGINE = MergeTree ORDER BY version`,
  );
  await sql(`INSERT INTO ${database}.schema_migrations (version, name) VALUES (${before}, 'before')`);
}

const send = (token: string) =>
  sql(
    `INSERT INTO ${database}.spans (in_service, in_name, kind, trace_id, span_id) SETTINGS insert_deduplication_token = '2026-01-01/${token}', deduplicate_blocks_in_dependent_materialized_views = 1 VALUES ('of ${token}', 'op', 'server', unhex('${"ab".repeat(16)}'), unhex('${"cd".repeat(8)}'))`,
  );
const counts = () =>
  sql(
    `SELECT service, count(), (SELECT sum(calls) FROM ${database}.span_metrics AS m WHERE m.service = s.service) FROM ${database}.spans AS s GROUP BY service ORDER BY service`,
  );

test("counts a block once that is sent again after an upgrade has changed the views", async () => {
  await olderDatabase();
  await send("before");
  await open().ready();
  await send("before");
  await send("after");
  await send("after");
  expect(await counts()).toBe("of after\t1\t1\nof before\t1\t1");
});

test("goes on where a process ended while the tables were away and a view was not made yet", async () => {
  await olderDatabase();
  await send("before");
  await sql(`DETACH TABLE ${database}.spans SYNC`);
  await sql(`DROP VIEW ${database}.span_metrics_view SYNC`);
  await open().ready();
  await send("before");
  await send("after");
  expect(await counts()).toBe("of after\t1\t1\nof before\t1\t1");
});
