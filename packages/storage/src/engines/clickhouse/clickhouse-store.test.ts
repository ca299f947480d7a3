import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { TraceStore } from "../../api/trace-store.ts";
import {
  expectStorageError,
  newToken,
  rowsOf,
  rowsOfTenant,
  write,
} from "../../contract/contract-context.ts";
import { noonUnixNano, sampleSpan } from "../../contract/sample-spans.ts";
import { traceStoreContract } from "../../contract/trace-store-contract.ts";
import { ClickHouseConnection } from "./clickhouse-connection.ts";
import { ClickHouseDependencies } from "./clickhouse-dependencies.ts";
import { openClickHouseStore } from "./clickhouse-store.ts";
import { countedSql } from "./schema/dependency-sql.ts";
import { SchemaGuard } from "./schema/schema-guard.ts";
import { spansOfTraces } from "./schema/span-sql.ts";
import { searchSql } from "./search-sql.ts";
import {
  newDatabaseName,
  runSql,
  startStorageProcess,
  startTestServer,
  type TestServer,
} from "./test-server.ts";

let server: TestServer;
const database = newDatabaseName();
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await runSql(server.url, `DROP DATABASE IF EXISTS ${database} SYNC`);
  await server.stop();
});

traceStoreContract({
  name: "clickhouse",
  open: () => openClickHouseStore({ urls: [server.url], database }),
});

describe("openClickHouseStore", () => {
  test.each([
    { name: "no address", options: { urls: [] } },
    { name: "an address that is none", options: { urls: ["localhost:8123"] } },
    { name: "a database name with SQL in it", options: { urls: ["http://localhost"], database: "a; DROP" } },
  ])("refuses $name", ({ options }) => {
    expect(() => openClickHouseStore(options)).toThrow(expect.objectContaining({ code: "STORAGE_REFUSED" }));
  });
});

describe("a ClickHouse store", () => {
  let store: TraceStore;
  const own = newDatabaseName();
  beforeAll(() => {
    store = openClickHouseStore({ urls: [server.url], database: own });
  });
  afterAll(async () => {
    await store.close();
    await runSql(server.url, `DROP DATABASE IF EXISTS ${own} SYNC`);
  });

  test("keeps rows by the day they were received, and knows tokens within it", async () => {
    const rows = rowsOf(sampleSpan());
    const deduplicationToken = newToken();
    for (const day of [1, 1, 2]) {
      await store.writer.writeSpans(rows, {
        deduplicationToken,
        receivedUnixMs: Date.UTC(2026, 0, day, 23, 59),
      });
    }
    const days = await runSql(
      server.url,
      `SELECT partition, rows FROM system.parts WHERE database = '${own}' AND table = 'spans' AND active ORDER BY 1`,
    );
    expect(days).toBe("2026-01-01\t1\n2026-01-02\t1");
  });

  test("forgets services and operations with the last day that has spans of them", async () => {
    const tenant = "retention";
    const names = async () => ({
      services: await store.reader.getServices({ tenant }),
      operations: (await store.reader.getOperations({ service: "stays" }, { tenant })).map(
        ({ name }) => name,
      ),
    });
    for (const [day, service, name] of [
      [1, "goes", "old"],
      [1, "stays", "old"],
      [1, "stays", "both"],
      [2, "stays", "both"],
    ] as const) {
      await store.writer.writeSpans(rowsOfTenant(tenant, sampleSpan({ service, name })), {
        deduplicationToken: newToken(),
        receivedUnixMs: Date.UTC(2019, 0, day, 12),
      });
    }
    expect(await names()).toEqual({ services: ["goes", "stays"], operations: ["both", "old"] });
    // Drops a partition as retention does, for every table with a partition for each day.
    await runSql(server.url, `ALTER TABLE ${own}.spans DROP PARTITION '2019-01-01'`);
    expect(await names()).toEqual({ services: ["stays"], operations: ["both"] });
    await runSql(server.url, `ALTER TABLE ${own}.spans DROP PARTITION '2019-01-02'`);
    expect(await names()).toEqual({ services: [], operations: [] });
  });

  test("writes a block as one part", async () => {
    const spans = Array.from({ length: 3_000 }, (_, index) => sampleSpan({ service: `s${index % 7}` }));
    await store.writer.writeSpans(rowsOf(...spans), {
      deduplicationToken: newToken(),
      receivedUnixMs: Date.UTC(2025, 5, 5),
    });
    const parts = await runSql(
      server.url,
      `SELECT rows FROM system.parts WHERE database = '${own}' AND table = 'spans' AND partition = '2025-06-05' AND level = 0`,
    );
    expect(parts).toBe("3000");
  });

  test.each([false, true])("uses the indexes of attributes for tags, places apart: %s", async (apart) => {
    await write(store, [sampleSpan()]);
    const { sql, parameters } = searchSql({ tags: new Map([["a", "b"]]), limit: 5 }, own, "", { apart });
    const texts = Object.fromEntries(
      Object.entries(parameters).map(([name, value]) => [name, String(value)]),
    );
    const plan = await runSql(server.url, `EXPLAIN indexes = 1 ${sql}`, texts);
    for (const index of ["attribute_hash_index", "resource_hash_index", "event_hash_index"]) {
      expect(plan).toContain(`Name: ${index}`);
    }
  });

  test("uses the minutes and the index of trace ids for traces", async () => {
    await write(store, [sampleSpan()]);
    const spansPlan = await runSql(server.url, `EXPLAIN indexes = 1 ${spansOfTraces(own)}`, {
      ids: "['ab']",
      tenant: "",
    });
    expect(spansPlan).toContain("Name: trace_id_index");
    expect(spansPlan).toContain("toStartOfMinute(start)");
    expect(spansPlan).not.toContain("Name: start_index");
  });

  test("refuses to read more than maxReadBytes", async () => {
    const span = sampleSpan();
    await write(store, [span]);
    const small = openClickHouseStore({ urls: [server.url], database: own, maxReadBytes: 50 });
    await expectStorageError(small.reader.getTraces([span.traceId]), "STORAGE_TOO_LARGE");
    await small.close();
  });

  test("makes its tables again when they are gone", async () => {
    for (const use of [
      () => store.reader.getServices(),
      () => store.reader.findTraces({ limit: 1 }),
      () => write(store, [sampleSpan()]),
      () => store.ready(),
    ]) {
      await store.ready();
      await runSql(server.url, `DROP DATABASE ${own} SYNC`);
      await use();
    }
  });

  test("reads traces in the minutes where they lie, beside spans of any time", async () => {
    const far = [-(2n ** 63n), -1n, 0n, 2n ** 62n, 2n ** 63n - 1n].map((startTimeUnixNano) =>
      sampleSpan({ startTimeUnixNano }),
    );
    const near = Array.from({ length: 50 }, (_, index) =>
      sampleSpan({ startTimeUnixNano: noonUnixNano + BigInt(index) * 1_000_000_000n }),
    );
    await write(store, [...far, ...near]);
    for (const span of [...far, ...near]) {
      expect(await store.reader.getTraces([span.traceId])).toEqual([
        { traceId: span.traceId, spans: [span] },
      ]);
    }
  });

  test("settles calls whose parent came later, and gives up on others after ten minutes", async () => {
    const [parent, other] = [sampleSpan({ service: "shop" }), sampleSpan({ service: "bank" })];
    const called = sampleSpan({ service: "stock", traceId: parent.traceId, parentSpanId: parent.spanId });
    const lost = sampleSpan({ service: "stock", traceId: other.traceId, parentSpanId: "00000000000000ff" });
    const alsoCalled = sampleSpan({ service: "pay", traceId: parent.traceId, parentSpanId: parent.spanId });
    for (const span of [called, alsoCalled, lost, other, parent]) {
      await write(store, [span]);
    }
    const rows = (where: string) =>
      runSql(
        server.url,
        `SELECT sum(calls) FROM ${own}.dependency_calls WHERE child = 'stock' AND ${where} FORMAT TSV`,
      );
    const connection = new ClickHouseConnection({
      ...{ urls: [server.url], user: "default", password: "", database: own, requestTimeoutMs: 60_000 },
      ...{ maxConnections: 2, maxReadBytes: 1_000_000 },
    });
    onTestFinished(() => connection.close());
    const schema = new SchemaGuard(connection, own);
    const dependencies = new ClickHouseDependencies(connection, schema, {
      database: own,
      leases: {
        acquireLease: async () => true,
      },
    });
    expect([await rows("pending != 0"), await rows("parent = 'shop'")]).toEqual(["2", "0"]);
    for (let time = 0; time < 2; time++) {
      await dependencies.settle(new AbortController().signal);
      expect([await rows("pending != 0"), await rows("parent = 'shop'")]).toEqual(["1", "1"]);
    }
    await runSql(
      server.url,
      `ALTER TABLE ${own}.dependency_calls UPDATE arrived = arrived - INTERVAL 1 HOUR WHERE true SETTINGS mutations_sync = 1`,
    );
    for (let time = 0; time < 2; time++) {
      await dependencies.settle(new AbortController().signal);
      expect([await rows("pending != 0"), await rows("parent = 'shop'")]).toEqual(["0", "1"]);
    }
    const range = { startUnixNano: noonUnixNano, endUnixNano: noonUnixNano };
    expect(await store.dependencies.getDependencies(range)).toEqual([
      { parent: "shop", child: "pay", callCount: 1, source: "" },
      { parent: "shop", child: "stock", callCount: 1, source: "" },
    ]);
  });

  test.each(["sums", "details"] as const)(
    "looks once for %s of calls that are counted and calls that wait, lest a step between two looks hide some",
    async (detail) => {
      await write(store, [sampleSpan({ parentSpanId: "00000000000000ff" })]);
      const parameters = { tenant: "", from: "0", to: String(2 ** 31 - 1) };
      const plan = await runSql(server.url, `EXPLAIN ${countedSql(own, detail)}`, parameters);
      expect(plan.match(/Read\w*From\w*.*dependency_calls/g)).toHaveLength(1);
    },
  );

  test("gives a trace that has just arrived before the end of its insert is known everywhere", async () => {
    const span = sampleSpan();
    await write(store, [span]);
    const { traceId } = span;
    const ofTrace = `WHERE trace_id = unhex('${traceId}') SETTINGS mutations_sync = 1`;
    await runSql(server.url, `ALTER TABLE ${own}.trace_minutes DELETE ${ofTrace}`);
    const found = async () => [
      (await store.reader.getTraces([traceId])).length,
      (await store.reader.getPackedTraces?.([traceId]))?.length,
    ];
    expect(await found()).toEqual([1, 1]);
    // The row becomes 2 minutes old. The read of just-arrived rows covers one minute; more would be a search through
    // all data.
    await runSql(server.url, `ALTER TABLE ${own}.spans UPDATE arrived = arrived - 120 ${ofTrace}`);
    expect(await found()).toEqual([0, 0]);
  });

  test("looks up a sample of very many calls that wait, and settles all", async () => {
    const calls = 60_000;
    const insert = (service: string, id: string, parent: string) =>
      runSql(
        server.url,
        `INSERT INTO ${own}.spans (in_service, in_name, format, trace_id, span_id, parent_span_id, kind, start, tenant)
SELECT '${service}', 'op', 'otlp', unhex('${"ab".repeat(16)}'), ${id}, ${parent}, 'server', toDateTime64('2026-07-22 12:00:00', 9, 'UTC'), 'many'
FROM numbers(${calls})`,
      );
    const idOf = (salt: string) => `reinterpretAsFixedString(cityHash64(number, '${salt}'))`;
    await insert("stock", idOf("child"), idOf("parent"));
    await insert("shop", idOf("parent"), "''");
    const startUnixNano = BigInt(Date.UTC(2026, 6, 22, 12)) * 1_000_000n;
    const read = async () => {
      const range = { startUnixNano, endUnixNano: startUnixNano };
      const [link] = await store.dependencies.getDependencies(range, { tenant: "many" });
      return link?.callCount ?? 0;
    };
    const sampled = await read();
    expect(Math.abs(sampled - calls) / calls).toBeLessThan(0.05);
    const connection = new ClickHouseConnection({
      ...{ urls: [server.url], user: "default", password: "", database: own, requestTimeoutMs: 60_000 },
      ...{ maxConnections: 2, maxReadBytes: 1_000_000 },
    });
    onTestFinished(() => connection.close());
    const dependencies = new ClickHouseDependencies(connection, new SchemaGuard(connection, own), {
      database: own,
      leases: {
        acquireLease: async () => true,
      },
    });
    await dependencies.settle(new AbortController().signal);
    expect(await read()).toBe(calls);
  });

  test("leaves the lease with the oldest of several claims made at the same moment", async () => {
    const { sampling } = store;
    expect(await sampling.acquireLease("lead", "one", 60_000)).toBe(true);
    // The claim of a rival that has not yet seen the claim of "one".
    await runSql(
      server.url,
      `INSERT INTO ${own}.leases (name, owner, ttl_ms) VALUES ('lead', 'rival', 60000), ('lead', 'other', 1)`,
    );
    for (let time = 0; time < 2; time++) {
      expect(await sampling.acquireLease("lead", "one", 60_000)).toBe(true);
      expect(await sampling.acquireLease("lead", "rival", 60_000)).toBe(false);
    }
    await sampling.releaseLease("lead", "one");
    expect(await sampling.acquireLease("lead", "one", 60_000)).toBe(false);
    expect(await sampling.acquireLease("lead", "rival", 60_000)).toBe(true);
  });

  test("answers many readers at once when the first of them finds no tables", async () => {
    await runSql(server.url, `DROP DATABASE ${own} SYNC`);
    const answers = await Promise.all(Array.from({ length: 8 }, () => store.reader.getServices()));
    expect(answers).toEqual(Array.from({ length: 8 }, () => []));
  });
});

describe("a read whose signal is aborted", () => {
  test("ends in the server too", async () => {
    const connection = new ClickHouseConnection({
      ...{ urls: [server.url], user: "default", password: "", database, requestTimeoutMs: 60_000 },
      ...{ maxConnections: 2, maxReadBytes: 1_000 },
    });
    const mark = newDatabaseName();
    const sql = `SELECT sleepEachRow(0.2) AS ${mark} FROM numbers(1000) SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0`;
    const running = () =>
      runSql(
        server.url,
        `SELECT count() FROM system.processes WHERE query LIKE '%${mark}%' AND query NOT LIKE '%system.processes%'`,
      );
    const abort = new AbortController();
    const ended = expectStorageError(connection.rows(sql, {}, { signal: abort.signal }), "STORAGE_ABORTED");
    await expect.poll(running, { timeout: 60_000 }).toBe("1");
    abort.abort();
    await ended;
    await expect.poll(running, { timeout: 60_000 }).toBe("0");
    await connection.close();
  });
});

describe("a store that goes away", () => {
  test("is unavailable until it is back, and then keeps what was written, or starts again empty", async () => {
    const [folder, emptyFolder] = await Promise.all(
      [1, 2].map(() => mkdtemp(join(tmpdir(), "storage-test-"))),
    );
    const first = await startStorageProcess(folder!);
    const store = openClickHouseStore({ urls: [first.url] });
    let running = first;
    onTestFinished(async () => {
      await store.close();
      await running.kill();
      await Promise.all([folder!, emptyFolder!].map((path) => rm(path, { recursive: true, force: true })));
    });
    const { port } = new URL(first.url);
    const kept = sampleSpan();
    const ids = [kept.traceId];
    await write(store, [kept]);

    await first.kill();
    const rows = rowsOf(sampleSpan());
    await expectStorageError(store.ready(), "STORAGE_UNAVAILABLE");
    await expectStorageError(store.reader.getTraces(ids), "STORAGE_UNAVAILABLE");
    await expectStorageError(
      store.writer.writeSpans(rows, { deduplicationToken: newToken() }),
      "STORAGE_UNAVAILABLE",
    );

    running = await startStorageProcess(folder!, Number(port));
    expect(await store.reader.getTraces(ids)).toEqual([{ traceId: kept.traceId, spans: [kept] }]);
    await running.kill();

    running = await startStorageProcess(emptyFolder!, Number(port));
    await store.writer.writeSpans(rows, { deduplicationToken: newToken() });
    expect(await store.reader.getTraces(ids)).toEqual([]);
    expect(await store.reader.getServices()).toEqual(["sample"]);
  });
});
