import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { TraceStore } from "../../../api/trace-store.ts";
import { newToken, rowsOf } from "../../../contract/contract-context.ts";
import { newServiceName, newTraceId, sampleSpan } from "../../../contract/sample-spans.ts";
import { dropEverywhere, namedCluster } from "../../../testing/cluster/test-cluster.ts";
import { openClickHouseStore } from "../clickhouse-store.ts";
import { migrations } from "../schema/migrations.ts";
import { newDatabaseName, runSql } from "../test-server.ts";
import { clusterStatements, distributedStatements, versionStatement } from "./cluster-statements.ts";

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });
const cluster = await namedCluster("REPLICAS");

describe.skipIf(cluster === undefined)("a cluster of replicas", () => {
  const { urls, settings, kill, start } = cluster ?? {
    urls: [],
    settings: { name: "", isReplicated: true, onCluster: false, insertQuorum: 0 },
    kill: undefined,
    start: undefined,
  };
  const last = urls.at(-1) ?? "";
  let database: string;
  const stores: TraceStore[] = [];
  const open = (insertQuorum: number | "auto") => {
    const store = openClickHouseStore({ urls, database, cluster: { ...settings, insertQuorum } });
    stores.push(store);
    return store;
  };
  const onEach = (sql: string) => Promise.all(urls.map((url) => runSql(url, sql)));
  beforeEach(() => {
    database = newDatabaseName();
  });
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
    await dropEverywhere(urls, database);
  });

  /** A block of `traces` traces. Each has a client span and the server span that it calls. */
  function block(traces: number, service = newServiceName()) {
    const spans = Array.from({ length: traces }, () => {
      const traceId = newTraceId();
      const parent = sampleSpan({ traceId, service, kind: "client" });
      return [parent, sampleSpan({ traceId, service: `${service}-called`, parentSpanId: parent.spanId })];
    });
    const ids = spans.map(([span]) => span?.traceId ?? "");
    const options = { deduplicationToken: newToken(), receivedUnixMs: Date.now() };
    return { rows: rowsOf(...spans.flat()), options, ids };
  }

  test("gives a server that comes later, or lost its tables, those of the others, and their rows", async () => {
    const { rows, options, ids } = block(20);
    await open(0).writer.writeSpans(rows, options);
    await runSql(last, `DROP DATABASE ${database} SYNC`);
    const store = open(0);
    await store.ready();
    const [here, ...there] = await onEach(
      `SELECT name, engine, create_table_query FROM system.tables WHERE database = '${database}' ORDER BY name`,
    );
    for (const other of there) {
      expect(other).toBe(here);
    }
    await expect
      .poll(() => runSql(last, `SELECT count() FROM ${database}.spans_local`), { timeout: 60_000 })
      .toBe("40");
    expect(await store.reader.getTraces(ids)).toHaveLength(20);
  });

  test("gets the same tables on every server, though each of six processes starts at another one", async () => {
    const first = Array.from({ length: 6 }, (_, index) => {
      const at = index % urls.length;
      const store = openClickHouseStore({
        urls: [...urls.slice(at), ...urls.slice(0, at)],
        database,
        cluster: settings,
      });
      stores.push(store);
      return store.ready();
    });
    await Promise.all(first);
    const [here, ...there] = await onEach(
      `SELECT name, engine, create_table_query FROM system.tables WHERE database = '${database}' ORDER BY name`,
    );
    expect(here).toContain("ReplicatedMergeTree");
    expect(here).not.toContain("schema_lock");
    for (const other of there) {
      expect(other).toBe(here);
    }
  });

  test("takes the tables of version 5 to this one, with the attributes that are there", async () => {
    for (const url of urls) {
      await runSql(url, `CREATE DATABASE ${database}`);
    }
    const old = migrations.slice(0, 5).flatMap((migration) => migration.statements(database));
    for (const { sql, copies } of clusterStatements(old, database, settings)) {
      for (const url of copies ? [] : urls) {
        // A replica may not have applied the previous change yet, so the statement is repeated.
        const run = () => runSql(url, sql).then(() => "done", String);
        await expect.poll(run, { timeout: 60_000 }).toBe("done");
      }
    }
    for (const url of urls) {
      for (const name of ["spans", "archived_spans", "trace_minutes", "span_metrics", "operations"]) {
        await runSql(
          url,
          `CREATE TABLE ${database}.${name} AS ${database}.${name}_local ENGINE = Distributed('${settings.name}', '${database}', '${name}_local', rand())`,
        );
      }
      await runSql(url, versionStatement(database, 5, settings));
    }
    const traceId = newTraceId();
    await runSql(
      urls[0] ?? "",
      `INSERT INTO ${database}.spans_local (in_service, in_name, trace_id, start, in_attributes) SETTINGS insert_deduplication_token = '2026-01-01/old' VALUES ('old', 'op', unhex('${traceId}'), '2026-01-01 00:00:00', [('colour', 'string', 'blue')])`,
    );
    await Promise.all([open(0).ready(), open(0).ready()]);
    const store = open(urls.length);
    const { rows, options, ids } = block(5);
    await store.writer.writeSpans(rows, options);
    const found = await store.reader.findTraceIds({ tags: new Map([["colour", "blue"]]), limit: 9 });
    expect(found).toHaveLength(1);
    expect(await store.reader.getTraces([...ids, traceId])).toHaveLength(6);
    const indexes = `SELECT groupArray(name) FROM (SELECT name FROM system.data_skipping_indices WHERE database = '${database}' AND table = 'spans_local' ORDER BY name)`;
    for (const url of urls) {
      await expect
        .poll(() => runSql(url, indexes), { timeout: 60_000 })
        .toBe(
          "['arrived_index','attribute_array_index','attribute_hash_index','duration_index','event_hash_index','resource_array_index','resource_hash_index','start_index','trace_id_index']",
        );
      const unfinished = `SELECT count() FROM system.mutations WHERE database = '${database}' AND NOT is_done`;
      await expect.poll(() => runSql(url, unfinished), { timeout: 60_000 }).toBe("0");
    }
  });

  test("stores a block once that is sent again to another replica", async () => {
    const { rows, options } = block(50);
    await open(0).ready();
    for (const url of [...urls, ...urls]) {
      const store = openClickHouseStore({ urls: [url], database, cluster: settings });
      stores.push(store);
      await store.writer.writeSpans(rows, options);
    }
    const counts = `SELECT (SELECT count() FROM ${database}.spans_local), (SELECT sum(calls) FROM ${database}.span_metrics_local), (SELECT sum(calls) FROM ${database}.dependency_calls_local)`;
    for (const url of urls) {
      await expect.poll(() => runSql(url, counts), { timeout: 60_000 }).toBe("100\t100\t50");
    }
  });

  test.each([13, 14])(
    "takes version %i to this one while collectors of both write: nothing is missing or doubled, also when it is sent again",
    async (version) => {
      for (const url of urls) {
        await runSql(url, `CREATE DATABASE ${database}`);
      }
      const old = migrations.slice(0, version).flatMap((migration) => migration.statements(database));
      for (const { sql, copies } of clusterStatements(old, database, settings)) {
        for (const url of copies ? [] : urls) {
          await expect.poll(() => runSql(url, sql).then(() => "done", String)).toBe("done");
        }
      }
      for (const url of urls) {
        for (const sql of distributedStatements(database, settings)) {
          await runSql(url, sql).catch(() => {});
        }
        await runSql(url, versionStatement(database, version, settings));
      }
      const day = new Date().toISOString().slice(0, 10);
      const blocks: string[] = [];
      let isOver = false;
      /** Inserts like a collector of the older version, and repeats the block until it is confirmed. */
      const insertOld = async (url: string, block: string) => {
        const [trace] = block.split(",");
        const values = `('old', 'op', 'server', unhex('${trace}'), 'parent 1', '', now64(9), 1000), ('called', 'op', 'server', unhex('${trace}'), 'child  1', 'parent 1', now64(9), 1000)`;
        const sql = `INSERT INTO ${database}.spans_local (in_service, in_name, kind, trace_id, span_id, parent_span_id, start, duration) SETTINGS insert_deduplication_token = '${day}/${block}', deduplicate_blocks_in_dependent_materialized_views = 1 VALUES ${values}`;
        await expect.poll(() => runSql(url, sql).then(() => "stored", String)).toBe("stored");
      };
      const oldWriters = urls.map(async (url) => {
        while (!isOver) {
          const block = newTraceId();
          await insertOld(url, block);
          blocks.push(block);
        }
      });
      await expect.poll(() => blocks.length).toBeGreaterThan(5);
      const store = open(urls.length);
      await expect.poll(() => store.ready().then(() => "ready", String), { timeout: 60_000 }).toBe("ready");
      // Each writer is in the middle of a block.
      const before = blocks.length + urls.length;
      await expect.poll(() => blocks.length).toBeGreaterThan(before + 5);
      const sent = Array.from({ length: 5 }, () => block(1));
      for (const { rows, options } of sent) {
        await store.writer.writeSpans(rows, options);
      }
      isOver = true;
      await Promise.all(oldWriters);
      // Each replica gets all blocks since then once more.
      for (const url of urls) {
        for (const each of blocks.slice(before)) {
          await insertOld(url, each);
        }
        const one = openClickHouseStore({ urls: [url], database, cluster: settings });
        stores.push(one);
        for (const { rows, options } of sent) {
          await one.writer.writeSpans(rows, options);
        }
      }
      const calls = blocks.length + sent.length;
      const counts = `SELECT (SELECT count() FROM ${database}.spans_local), (SELECT sum(calls) FROM ${database}.span_metrics_local), (SELECT sum(calls) FROM ${database}.dependency_calls_local)`;
      for (const url of urls) {
        await expect
          .poll(() => runSql(url, counts), { timeout: 60_000 })
          .toBe(`${2 * calls}\t${2 * calls}\t${calls}`);
      }
    },
  );

  test.skipIf(kill === undefined || start === undefined)(
    "goes on while a replica is killed and comes back: nothing is missing or doubled, searches go on",
    async () => {
      const store = open(0);
      await store.ready();
      const service = newServiceName();
      const acknowledged: string[] = [];
      const [tracesPerBlock, blocksBefore, blocksBetween, blocksAfter] = [100, 10, 30, 20];
      let mayWrite = blocksBefore;
      let written = 0;
      const total = blocksBefore + blocksBetween + blocksAfter;
      const reached = new Map<number, () => void>();
      const writeAll = async () => {
        while (written < total) {
          if (written >= mayWrite) {
            await new Promise<void>((resolve) => reached.set(-1, resolve));
          }
          const { rows, options, ids } = block(tracesPerBlock, service);
          // Inserts like a collector: the same block with the same token until it is confirmed.
          for (;;) {
            const error = await store.writer.writeSpans(rows, options).then(
              () => undefined,
              (reason: unknown) => reason,
            );
            if (error === undefined) {
              break;
            }
            expect(error).toMatchObject({ code: expect.stringMatching(/UNAVAILABLE|TIMEOUT/) });
          }
          acknowledged.push(...ids);
          written++;
          reached.get(written)?.();
        }
      };
      const allow = (blocks: number) => {
        mayWrite = blocks;
        reached.get(-1)?.();
      };
      const until = (blocks: number) =>
        written >= blocks ? undefined : new Promise<void>((resolve) => reached.set(blocks, resolve));
      let isDone = false;
      let searches = 0;
      const searchAll = async () => {
        while (!isDone) {
          await store.reader.findTraceIds({ service, limit: 20 });
          searches++;
        }
      };
      const searching = searchAll();
      const writing = writeAll();
      let isDown = false;
      try {
        await until(blocksBefore / 2);
        await kill?.();
        isDown = true;
        allow(blocksBefore + blocksBetween);
        await until(blocksBefore + blocksBetween);
        isDown = false;
        await start?.();
        allow(total);
        await writing;
      } finally {
        isDone = true;
        // The command must not run twice: it may record the started process, and a second one would end at once.
        if (isDown) {
          await start?.();
        }
      }
      await searching;
      expect(searches).toBeGreaterThan(10);

      const spans = 2 * tracesPerBlock * total;
      const counts = `SELECT (SELECT count() FROM ${database}.spans_local), (SELECT uniqExact(trace_id, span_id) FROM ${database}.spans_local), (SELECT sum(calls) FROM ${database}.span_metrics_local), (SELECT sum(calls) FROM ${database}.dependency_calls_local WHERE pending = 0)`;
      for (const url of urls) {
        await expect
          .poll(() => runSql(url, counts), { timeout: 120_000 })
          .toBe(`${spans}\t${spans}\t${spans}\t${spans / 2}`);
      }
      expect(await store.reader.getTraces(acknowledged)).toHaveLength(acknowledged.length);
      console.info(
        `a replica killed under load: ${spans} spans acknowledged and stored once, ${searches} searches`,
      );
    },
  );

  test.skipIf(kill === undefined || start === undefined)(
    "acknowledges nothing that a quorum has not, and stores it once when the replica is back",
    async () => {
      const store = open(urls.length);
      const first = block(10);
      await store.writer.writeSpans(first.rows, first.options);
      for (const url of urls) {
        expect(await runSql(url, `SELECT count() FROM ${database}.spans_local`)).toBe("20");
      }
      const second = block(10);
      await kill?.();
      try {
        await expect(store.writer.writeSpans(second.rows, second.options)).rejects.toMatchObject({
          code: expect.stringMatching(/UNAVAILABLE|TIMEOUT/),
        });
      } finally {
        await start?.();
      }
      await expect
        .poll(() => store.writer.writeSpans(second.rows, second.options).then(() => "stored", String), {
          timeout: 60_000,
          interval: 500,
        })
        .toBe("stored");
      for (const url of urls) {
        expect(await runSql(url, `SELECT count() FROM ${database}.spans_local`)).toBe("40");
        expect(await runSql(url, `SELECT sum(calls) FROM ${database}.span_metrics_local`)).toBe("40");
      }
    },
  );
});
