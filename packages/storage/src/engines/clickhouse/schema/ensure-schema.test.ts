import { beforeEach, describe, expect, test } from "vitest";
import { spanColumns } from "wire/rows";
import type { TraceStore } from "../../../api/trace-store.ts";
import { expectStorageError, rowsOfTenant } from "../../../contract/contract-context.ts";
import { sampleSpan } from "../../../contract/sample-spans.ts";
import { ClickHouseConnection } from "../clickhouse-connection.ts";
import { clusterSchemaStatements, clusterStatements } from "../cluster/cluster-statements.ts";
import { objectsOf } from "../cluster/copy-schema.ts";
import { newDatabaseName, runSql } from "../test-server.ts";
import { migrations, schemaVersion } from "./migrations.ts";
import { newDatabase } from "./new-database.ts";
import { detailColumns } from "./span-details-migration.ts";
import { spansMigration } from "./spans-migration.ts";
import { tenantsMigration } from "./tenants-migration.ts";
import { databasePerTest } from "./testing/database-per-test.ts";

const server = databasePerTest();
const { open } = server;
let database: string;

beforeEach(() => {
  database = server.database;
});

const tables = () =>
  runSql(server.url, `SELECT name FROM system.tables WHERE database = '${database}' ORDER BY name`);

describe("ensureSchema", () => {
  test("makes the tables once, though six processes start at the same moment", async () => {
    await Promise.all(Array.from({ length: 6 }, () => open().ready()));
    expect(await tables()).toBe(
      [
        ...[
          "archived_spans",
          "dependency_calls",
          "dependency_calls_of_repeated_view",
          "dependency_calls_view",
        ],
        ...["leases", "operation_throughput", "operations", "operations_of_metrics_view", "repeated_spans"],
        ...["sampling_probabilities", "schema_migrations", "span_metrics", "span_metrics_of_repeated_view"],
        ...["span_metrics_view", "spans", "trace_minutes", "trace_minutes_view"],
      ].join("\n"),
    );
    const versions = await runSql(
      server.url,
      `SELECT DISTINCT version FROM ${database}.schema_migrations ORDER BY version`,
    );
    expect(versions).toBe(String(schemaVersion));
  });

  test("makes a new database as the steps do, but for columns that are not stored any more, the order of spans and the size of granules", async () => {
    await open().ready();
    const stepped = newDatabaseName();
    await runSql(server.url, `CREATE DATABASE ${stepped}`);
    for (const migration of migrations) {
      for (const statement of migration.statements(stepped)) {
        await runSql(server.url, statement);
      }
    }
    // Parts of the background work of version 6 may still be running, so the test reads the table definition.
    const sentOnly = ["resource_schema_url", "scope_schema_url", "events", ...Object.keys(detailColumns)];
    const textsOnly = ["attributes", "resource_attributes", "scope_name", "scope_version"];
    const others = [...sentOnly, ...textsOnly].map((name) => `'${name}'`);
    const order = (column: string) =>
      `replaceOne(${column}, 'toStartOfMinute(start), trace_id', 'toStartOfMinute(start)')`;
    const engine = order("replaceRegexpOne(engine_full, ' PRIMARY KEY [^)]*[)]', '')");
    const shapes = [
      `SELECT name, replaceOne(${engine}, 'index_granularity = 2048', 'index_granularity = 4096'), ${order("sorting_key")}, partition_key, replaceAll(as_select, database, 'd') FROM system.tables WHERE database = {d:String} AND name != 'schema_migrations' ORDER BY name`,
      `SELECT table, name, type, default_kind, compression_codec, if(default_kind = 'EPHEMERAL', '', replaceRegexpAll(default_expression, '\\\\bin_(resource_)?attributes', '\\\\1attributes')) FROM system.columns WHERE database = {d:String} AND table != 'schema_migrations' AND name NOT IN (${others}) ORDER BY table, name`,
      "SELECT table, name, type_full, expr, granularity FROM system.data_skipping_indices WHERE database = {d:String} ORDER BY table, name",
    ];
    const sorted = "SELECT sorting_key FROM system.tables WHERE database = {d:String} AND name = 'spans'";
    expect(await runSql(server.url, sorted, { d: database })).toBe("service, toStartOfMinute(start)");
    expect(await runSql(server.url, sorted, { d: stepped })).toBe(
      "service, toStartOfMinute(start), trace_id",
    );
    for (const sql of shapes) {
      const made = await runSql(server.url, sql, { d: database });
      expect(made.split("\n").length).toBeGreaterThan(5);
      expect(made.split("\n")).toEqual((await runSql(server.url, sql, { d: stepped })).split("\n"));
    }
    await runSql(server.url, `DROP DATABASE ${stepped} SYNC`);
  });

  test("goes on where another process stopped half-way", async () => {
    await runSql(server.url, `CREATE DATABASE ${database}`);
    const [first = ""] = migrations[0]?.statements(database) ?? [];
    await runSql(server.url, first);
    await open().ready();
    expect(await tables()).toContain("operations_of_metrics_view");
    // The database was begun by the first step, so the steps continue.
    expect(await runSql(server.url, `DESCRIBE ${database}.spans`)).toMatch(/^attribute_text\t/m);
  });

  test("goes on where another process stopped half-way with a new database", async () => {
    await runSql(server.url, `CREATE DATABASE ${database}`);
    for (const sql of newDatabase.statements(database).slice(0, 4)) {
      await runSql(server.url, sql);
    }
    await open().ready();
    expect(await tables()).toContain("operations_of_metrics_view");
    expect(await runSql(server.url, `DESCRIBE ${database}.spans`)).not.toMatch(/^attributes\t/m);
  });

  test("gives what was stored before tenants to the tenant of those without one, six processes at once", async () => {
    await runSql(server.url, `CREATE DATABASE ${database}`);
    for (const statement of spansMigration.statements(database)) {
      await runSql(server.url, statement);
    }
    await runSql(
      server.url,
      `CREATE TABLE ${database}.schema_migrations (version UInt32, name String, applied DateTime('UTC') DEFAULT now()) ENGINE = MergeTree ORDER BY version`,
    );
    await runSql(server.url, `INSERT INTO ${database}.schema_migrations (version, name) VALUES (1, 'spans')`);
    await runSql(
      server.url,
      `INSERT INTO ${database}.spans (in_service, in_name, kind, trace_id) SETTINGS insert_deduplication_token = '2026-01-01/old' VALUES ('old', 'op', 'server', unhex('${"ab".repeat(16)}'))`,
    );
    const opened = Array.from({ length: 6 }, open);
    await Promise.all(opened.map((store) => store.ready()));
    const [store] = opened;
    const mine = sampleSpan({ service: "new", name: "op" });
    await store?.writer.writeSpans(rowsOfTenant("mine", mine), { deduplicationToken: "t" });
    // A slow process runs its statements late; the view that it changes is already replaced.
    for (const statement of tenantsMigration.statements(database)) {
      if (!statement.includes("operations_view")) {
        await runSql(server.url, statement);
      }
    }

    // Settings of an existing table change too.
    expect(await runSql(server.url, `SHOW CREATE TABLE ${database}.spans FORMAT TSVRaw`)).toContain(
      "min_bytes_for_wide_part = 2147483648",
    );
    const { reader } = opened[1] as TraceStore;
    expect(await reader.getServices()).toEqual(["old"]);
    expect(await reader.getOperations({ service: "old" })).toEqual([{ name: "op", spanKind: "server" }]);
    expect((await reader.findTraces({ limit: 9 })).map(({ traceId }) => traceId)).toEqual(["ab".repeat(16)]);
    expect(await reader.getServices({ tenant: "mine" })).toEqual(["new"]);
    expect(await reader.getTraces([mine.traceId], { tenant: "mine" })).toEqual([
      { traceId: mine.traceId, spans: [mine] },
    ]);
  });

  test("keeps tenants apart when parts of operations are merged", async () => {
    const store = open();
    for (const tenant of ["a", "b", ""]) {
      const rows = rowsOfTenant(tenant, sampleSpan({ service: "s", name: "same" }));
      await store.writer.writeSpans(rows, { deduplicationToken: tenant });
    }
    await runSql(server.url, `OPTIMIZE TABLE ${database}.operations FINAL`);
    expect(
      await runSql(server.url, `SELECT tenant FROM ${database}.operations ORDER BY tenant FORMAT CSV`),
    ).toBe('""\n"a"\n"b"');
  });

  test("refuses data of a newer version and touches nothing", async () => {
    await runSql(server.url, `CREATE DATABASE ${database}`);
    await runSql(
      server.url,
      `CREATE TABLE ${database}.schema_migrations (version UInt32) ENGINE = MergeTree ORDER BY version`,
    );
    await runSql(server.url, `INSERT INTO ${database}.schema_migrations VALUES (${schemaVersion + 1})`);
    const store = open();
    await expectStorageError(store.ready(), "STORAGE_VERSION");
    await expectStorageError(store.reader.getServices(), "STORAGE_VERSION");
    expect(await tables()).toBe("schema_migrations");
  });

  test("gives `spans` every column of the row format, with its type", async () => {
    await open().ready();
    const described = await runSql(
      server.url,
      `SELECT name, type FROM system.columns WHERE database = '${database}' AND table = 'spans' FORMAT TSVRaw`,
    );
    const types = new Map(described.split("\n").map((line) => line.split("\t") as [string, string]));
    // Dictionaries concern only the storage: RowBinary has the same bytes as for plain strings.
    const plain = (type: string | undefined) => type?.replaceAll("LowCardinality(String)", "String");
    for (const { name, type } of spanColumns) {
      expect([name, plain(types.get(name))]).toEqual([name, plain(type)]);
    }
    for (const [name, type] of types) {
      const stored = types.get(name.slice(3));
      if (name.startsWith("in_") && stored !== undefined) {
        expect([name, type]).toEqual([name, plain(stored)]);
      }
    }
  });
});

describe("the schema of a cluster", () => {
  test.each([true, false])("is ClickHouse's SQL, with ON CLUSTER: %s", async (onCluster) => {
    const cluster = { name: "main-1", isReplicated: true, onCluster, insertQuorum: 0 };
    for (const sql of clusterSchemaStatements(database, cluster)) {
      const parameters = { sql: sql.replaceAll("\n", " ") };
      expect(await runSql(server.url, "SELECT formatQuery({sql:String})", parameters)).not.toBe("");
    }
  });
});

describe("objectsOf", () => {
  test("gives statements that make the same tables, to the byte", async () => {
    const cluster = { name: "main", isReplicated: false, onCluster: false, insertQuorum: 0 };
    const connection = new ClickHouseConnection({
      ...{ urls: [server.url], user: "default", password: "", requestTimeoutMs: 60_000, maxConnections: 1 },
      maxReadBytes: 1_000_000,
    });
    const digest = `SELECT name, cityHash64(create_table_query) FROM system.tables WHERE database = '${database}' ORDER BY name`;
    await runSql(server.url, `CREATE DATABASE ${database}`);
    for (const { sql } of clusterStatements(newDatabase.statements(database), database, cluster)) {
      await runSql(server.url, sql);
    }
    const before = await runSql(server.url, digest);
    const objects = await objectsOf(connection, database);
    expect(objects).toHaveLength(16);
    await runSql(server.url, `DROP DATABASE ${database} SYNC`);
    await runSql(server.url, `CREATE DATABASE ${database}`);
    for (const { statement } of objects) {
      await connection.command(statement);
    }
    expect(await runSql(server.url, digest)).toBe(before);
    await connection.close();
  });
});

describe("migrations", () => {
  test("are numbered from 1 without gaps", () => {
    expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, index) => index + 1));
  });
});
