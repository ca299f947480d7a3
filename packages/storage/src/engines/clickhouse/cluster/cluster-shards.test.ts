import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Span } from "wire/model";
import type { TraceStore } from "../../../api/trace-store.ts";
import { expectStorageError, newToken, rowsOf } from "../../../contract/contract-context.ts";
import { newServiceName, newTraceId, noonUnixNano, sampleSpan } from "../../../contract/sample-spans.ts";
import { dropEverywhere, namedCluster } from "../../../testing/cluster/test-cluster.ts";
import { ClickHouseConnection } from "../clickhouse-connection.ts";
import { openClickHouseStore } from "../clickhouse-store.ts";
import { settleSql } from "../schema/dependency-sql.ts";
import { schemaVersion } from "../schema/migrations.ts";
import { withSchemaLock } from "../schema/schema-lock.ts";
import { namingTraces, spansOfTraces } from "../schema/span-sql.ts";
import { newDatabaseName, runSql } from "../test-server.ts";
import { settleEverywhere } from "./open-cluster.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
const cluster = await namedCluster("SHARDS");

describe.skipIf(cluster === undefined)("a cluster of shards", () => {
  const { urls, settings, kill, start } = cluster ?? {
    urls: [],
    settings: { name: "", isReplicated: true, onCluster: false, insertQuorum: 0 },
    kill: undefined,
    start: undefined,
  };
  const [first = "", ...others] = urls;
  let database: string;
  const stores: TraceStore[] = [];
  const open = (more: object = {}) => {
    const store = openClickHouseStore({ urls, database, cluster: settings, ...more });
    stores.push(store);
    return store;
  };
  const onEach = (sql: string) => Promise.all(urls.map((url) => runSql(url, sql)));
  const total = async (sql: string) => (await onEach(sql)).reduce((sum, text) => sum + Number(text), 0);
  beforeEach(() => {
    database = newDatabaseName();
  });
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
    await dropEverywhere(urls, database);
  });

  const connect = (servers = urls) =>
    new ClickHouseConnection({
      ...{ urls: servers, user: "default", password: "", requestTimeoutMs: 60_000, maxConnections: 8 },
      maxReadBytes: 1_000,
    });

  /** Makes `count` traces of two spans; the first span calls the second. */
  function traces(count: number): Span[][] {
    const service = newServiceName();
    return Array.from({ length: count }, () => {
      const traceId = newTraceId();
      const parent = sampleSpan({ traceId, service, kind: "client" });
      const child = sampleSpan({ traceId, service: `${service}-called`, parentSpanId: parent.spanId });
      return [parent, child];
    });
  }

  const layout = `SELECT name, engine FROM system.tables WHERE database = '{}' ORDER BY name`;

  test("gets its tables on every server once, though six processes start at the same moment", async () => {
    await Promise.all(Array.from({ length: 6 }, () => open().ready()));
    const [here, ...there] = await onEach(layout.replace("{}", database));
    for (const other of there) {
      expect(other).toBe(here);
    }
    expect(here).toContain("spans\tDistributed");
    expect(here).not.toContain("schema_lock");
    const versions = await onEach(`SELECT version FROM ${database}.schema_migrations`);
    expect(versions).toEqual(urls.map(() => String(1_000_000 + schemaVersion)));
  });

  test("gives a shard that is added the tables of the others, with columns from versions before", async () => {
    await open().ready();
    const last = others.at(-1) ?? first;
    await runSql(first, `ALTER TABLE ${database}.spans_local ADD COLUMN of_before UInt8`);
    await runSql(last, `DROP DATABASE ${database} SYNC`);
    await open().ready();
    const columns = `SELECT table, name, type, default_expression FROM system.columns WHERE database = '${database}' ORDER BY table, name`;
    const [here, ...there] = await onEach(columns);
    expect(here).toContain("spans_local\tof_before");
    for (const other of there) {
      expect(other).toBe(here);
    }
    const store = open();
    const written = traces(40);
    await store.writer.writeSpans(rowsOf(...written.flat()), { deduplicationToken: newToken() });
    expect(await total(`SELECT count() FROM ${database}.spans_local`)).toBe(80);
  });

  test("gets the same tables with ON CLUSTER, where servers take such statements", async (context) => {
    const trial = `CREATE DATABASE ${database}_trial ON CLUSTER '${settings.name}'`;
    const refusal = await runSql(first, trial).then(
      () => undefined,
      (error: unknown) => String(error),
    );
    if (refusal !== undefined) {
      return context.skip(`no ON CLUSTER here: ${refusal.slice(0, 200)}`);
    }
    await dropEverywhere(urls, `${database}_trial`);
    await open().ready();
    const byServer = await onEach(layout.replace("{}", database));
    await dropEverywhere(urls, database);
    await open({ cluster: { ...settings, onCluster: true } }).ready();
    expect(await onEach(layout.replace("{}", database))).toEqual(byServer);
    const versions = await onEach(`SELECT version FROM ${database}.schema_migrations`);
    expect(versions).toEqual(urls.map(() => String(1_000_000 + schemaVersion)));
  });

  test("is changed by one process at a time, and by the next one when that has died", async () => {
    await runSql(first, `CREATE DATABASE ${database}`);
    const connection = connect([first]);
    let working = 0;
    const seen: number[] = [];
    const work = async () => {
      seen.push(++working);
      await runSql(first, "SELECT sleep(0.2)");
      working--;
    };
    await Promise.all(Array.from({ length: 4 }, () => withSchemaLock(connection, database, work)));
    expect(seen).toEqual([1, 1, 1, 1]);
    await runSql(first, `CREATE TABLE ${database}.schema_lock (nothing UInt8) ENGINE = Memory`);
    await withSchemaLock(connection, database, work, { staleSeconds: 1 });
    expect(seen).toEqual([1, 1, 1, 1, 1]);
    await connection.close();
  });

  test("is refused where the schema is newer, and nothing is touched", async () => {
    const last = others.at(-1) ?? first;
    await runSql(last, `CREATE DATABASE ${database}`);
    await runSql(
      last,
      `CREATE VIEW ${database}.schema_migrations AS SELECT toUInt32(${1_000_001 + schemaVersion}) AS version, '${settings.name}' AS cluster, ${settings.isReplicated ? 1 : 0} AS replicated`,
    );
    await expectStorageError(open().ready(), "STORAGE_VERSION");
    expect(await onEach(`SELECT count() FROM system.tables WHERE database = '${database}'`)).toEqual(
      urls.map((url) => (url === last ? "1" : "0")),
    );
  });

  test("is not made of a single server's database, nor the other way round", async () => {
    await openClickHouseStoreAlone(database);
    await expect(open().ready()).rejects.toMatchObject({
      code: "STORAGE_REFUSED",
      message: expect.stringContaining("single server"),
    });
    await dropEverywhere(urls, database);
    await open().ready();
    const alone = openClickHouseStore({ urls: [first], database });
    stores.push(alone);
    await expect(alone.reader.getServices()).rejects.toMatchObject({
      message: expect.stringContaining("--clickhouse.cluster"),
    });
  });

  async function openClickHouseStoreAlone(name: string): Promise<void> {
    const alone = openClickHouseStore({ urls: [first], database: name });
    stores.push(alone);
    await alone.ready();
  }

  test("is refused under a name that servers do not know", async () => {
    const wrong = open({ cluster: { ...settings, name: "nobody-knows-it" } });
    await expect(wrong.ready()).rejects.toMatchObject({
      code: "STORAGE_REFUSED",
      message: expect.stringContaining(settings.name),
    });
  });

  test("keeps all spans of a trace in one shard, and counts everything exactly once", async () => {
    const store = open();
    const written = traces(200);
    const rows = rowsOf(...written.flat());
    const deduplicationToken = newToken();
    const receivedUnixMs = Date.now();
    // The same block through every server: first one after the other, then concurrently.
    await store.writer.writeSpans(rows, { deduplicationToken, receivedUnixMs });
    await Promise.all(urls.map(() => store.writer.writeSpans(rows, { deduplicationToken, receivedUnixMs })));

    const inEach = await onEach(`SELECT count() FROM ${database}.spans_local`);
    for (const count of inEach) {
      expect(Number(count)).toBeGreaterThan(0);
    }
    expect(await total(`SELECT count() FROM ${database}.spans_local`)).toBe(400);
    expect(await total(`SELECT uniqExact(trace_id) FROM ${database}.spans_local`)).toBe(200);
    expect(await total(`SELECT count() FROM ${database}.trace_minutes_local FINAL`)).toBe(200);
    expect(await total(`SELECT sum(calls) FROM ${database}.span_metrics_local`)).toBe(400);
    expect(await total(`SELECT sum(calls) FROM ${database}.dependency_calls_local WHERE pending = 0`)).toBe(
      200,
    );

    const range = { startUnixNano: noonUnixNano - 3_600_000_000_000n, endUnixNano: noonUnixNano };
    const links = await store.dependencies?.getDependencies(range);
    expect(links?.map(({ callCount }) => callCount)).toEqual([200]);
    const ids = written.map(([span]) => span?.traceId ?? "");
    const read = await store.reader.getTraces(ids);
    expect(read.map(({ spans }) => spans.length)).toEqual(ids.map(() => 2));
    const service = written[0]?.[0]?.resource.serviceName ?? "";
    expect(await store.reader.findTraceIds({ service, limit: 1_000 })).toHaveLength(200);
  });

  test("settles calls whose parent came later, once, in whichever shard", async () => {
    const store = open();
    const written = traces(40);
    for (const side of [1, 0]) {
      const spans = written.flatMap((trace) => trace[side] ?? []);
      await store.writer.writeSpans(rowsOf(...spans), { deduplicationToken: newToken() });
    }
    const pending = `SELECT sum(calls) FROM ${database}.dependency_calls_local WHERE pending != 0`;
    const settled = `SELECT sum(calls) FROM ${database}.dependency_calls_local WHERE pending = 0`;
    const range = { startUnixNano: noonUnixNano - 3_600_000_000_000n, endUnixNano: noonUnixNano };
    const calls = async () =>
      (await store.dependencies?.getDependencies(range))?.map(({ callCount }) => callCount);
    expect([await total(pending), await total(settled), await calls()]).toEqual([40, 0, [40]]);
    const connection = connect();
    const step = { sql: settleSql(database, false), name: "met" };
    for (let time = 0; time < 2; time++) {
      await settleEverywhere(connection, {
        database,
        cluster: settings,
        step,
        signal: AbortSignal.timeout(60_000),
      });
      expect([await total(pending), await total(settled), await calls()]).toEqual([0, 40, [40]]);
    }
    await connection.close();
  });

  test("asks one shard for a trace, and finds it in another one where it lies there", async () => {
    const store = open();
    const [[span = sampleSpan()] = []] = traces(1);
    await store.writer.writeSpans(rowsOf(span), { deduplicationToken: newToken() });
    const sql = namingTraces(spansOfTraces(database), [span.traceId]).replace("FORMAT RowBinary", "");
    const target = new URL(first);
    for (const [name, value] of Object.entries({
      ...{ distributed_product_mode: "local", param_tenant: "" },
      ...{ optimize_skip_unused_shards: "1", force_optimize_skip_unused_shards: "2" },
    })) {
      target.searchParams.set(name, value);
    }
    expect(await runSql(target.href, `SELECT count() FROM (${sql.replace(/SETTINGS.*/, "")})`)).toBe("1");

    // Spans lie in another shard than their id requires, as after a shard was added.
    let moved = newTraceId();
    const home = (id: string) => runSql(first, `SELECT cityHash64(unhex('${id}')) % ${urls.length}`);
    while ((await home(moved)) === "0") {
      moved = newTraceId();
    }
    await runSql(
      first,
      `INSERT INTO ${database}.spans_local (in_service, trace_id, start) SETTINGS insert_deduplication_token = '2026-01-01/moved' VALUES ('moved', unhex('${moved}'), '2026-01-01 00:00:00')`,
    );
    const [trace] = await store.reader.getTraces([moved]);
    expect(trace?.spans).toHaveLength(1);
  });

  test.skipIf(kill === undefined || start === undefined)(
    "says which shard is away, reads traces of the others, and stores each block once when it is back",
    async () => {
      const store = open();
      const written = traces(100);
      const ids = written.map(([span]) => span?.traceId ?? "");
      const service = written[0]?.[0]?.resource.serviceName ?? "";
      await store.writer.writeSpans(rowsOf(...written.flat()), { deduplicationToken: newToken() });
      const here = await runSql(
        first,
        `SELECT lower(hex(trace_id)) FROM ${database}.spans_local LIMIT 1 BY trace_id`,
      );
      const near = here.split("\n");
      const far = ids.find((id) => !near.includes(id)) ?? "";
      await kill?.();
      let isDown = true;
      try {
        expect(await store.reader.getTraces(near)).toHaveLength(near.length);
        await expectStorageError(store.reader.getTraces([far]), "STORAGE_UNAVAILABLE");
        await expectStorageError(store.reader.findTraceIds({ service, limit: 5 }), "STORAGE_UNAVAILABLE");
        const later = rowsOf(...traces(50).flat());
        const options = { deduplicationToken: newToken(), receivedUnixMs: Date.now() };
        await expectStorageError(store.writer.writeSpans(later, options), "STORAGE_UNAVAILABLE");
        isDown = false;
        await start?.();
        await expect
          .poll(() => store.writer.writeSpans(later, options).then(() => "stored", String), {
            timeout: 60_000,
          })
          .toBe("stored");
      } finally {
        // The command must not run twice: it may record the started process, and a second one would end at once.
        if (isDown) {
          await start?.();
        }
      }
      expect(await total(`SELECT count() FROM ${database}.spans_local`)).toBe(300);
      expect(await total(`SELECT sum(calls) FROM ${database}.span_metrics_local`)).toBe(300);
      expect(await store.reader.getTraces(ids)).toHaveLength(100);
      expect(await store.reader.findTraceIds({ service, limit: 500 })).toHaveLength(100);
    },
  );
});
