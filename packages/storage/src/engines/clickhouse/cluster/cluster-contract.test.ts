import { afterAll, describe, expect, test, vi } from "vitest";
import { write } from "../../../contract/contract-context.ts";
import { sampleSpan } from "../../../contract/sample-spans.ts";
import { traceStoreContract } from "../../../contract/trace-store-contract.ts";
import { AcknowledgedRows, storedRows } from "../../../testing/cluster/acknowledged-rows.ts";
import { dropEverywhere, namedCluster } from "../../../testing/cluster/test-cluster.ts";
import { madeIndexes } from "../../../testing/test-indexes.ts";
import { openClickHouseStore } from "../clickhouse-store.ts";
import { indexesLeftToMerges } from "../schema/attribute-hash-migration.ts";
import { newDatabaseName, runSql } from "../test-server.ts";

// Several servers on one machine are slow.
vi.setConfig({ testTimeout: 120_000 });

for (const kind of ["SHARDS", "REPLICAS", "GRID"] as const) {
  const name = `clickhouse, cluster of ${kind.toLowerCase()}`;
  const cluster = await namedCluster(kind);
  if (cluster === undefined) {
    describe(name, () => {
      test.skip(`passes the contract (skipped: TRACING_TEST_CLUSTER_${kind} names no servers)`, () => {});
    });
    continue;
  }
  const { urls, shards, settings } = cluster;
  const database = newDatabaseName();
  const acknowledged = new AcknowledgedRows();
  traceStoreContract({
    name,
    open: () => {
      const store = openClickHouseStore({ urls, database, cluster: settings });
      return { ...store, writer: acknowledged.countedBy(store.writer) };
    },
  });
  describe(`after the contract: ${name}`, () => {
    // After a failed test, this shows if and where rows are missing. If none are missing, a read did not see them.
    test.each(urls)("every block that was acknowledged is in all tables, as seen from %s", async (url) => {
      const { total } = acknowledged;
      expect(total).toBeGreaterThan(0);
      expect(await storedRows(url, database, shards)).toEqual({
        ...{ spans: total, counted: total },
        ...{ withoutMinute: 0, astray: 0 },
      });
    });
  });
  afterAll(() => dropEverywhere(urls, database));

  test(`has the indexes of attributes made by merges, on every server: ${name}`, async () => {
    const own = newDatabaseName();
    const store = openClickHouseStore({ urls, database: own, cluster: settings });
    try {
      await store.ready();
      for (const url of urls) {
        await runSql(url, `SYSTEM STOP MERGES ${own}.spans_local`);
      }
      for (let block = 0; block < 2; block++) {
        // With this many traces, each shard gets some.
        await write(
          store,
          Array.from({ length: 40 * shards }, () => sampleSpan()),
        );
      }
      const atOnce = ["arrived_index", "duration_index", "start_index", "trace_id_index"];
      for (const url of urls) {
        expect(await madeIndexes(url, own, "spans_local")).toEqual(atOnce);
      }
      for (const url of urls) {
        await runSql(url, `SYSTEM START MERGES ${own}.spans_local`);
      }
      for (const url of urls) {
        await runSql(url, `OPTIMIZE TABLE ${own}.spans_local FINAL`);
      }
      const all = [...atOnce, ...indexesLeftToMerges].sort();
      for (const url of urls) {
        await expect.poll(() => madeIndexes(url, own, "spans_local"), { timeout: 60_000 }).toEqual(all);
      }
    } finally {
      await store.close();
      await dropEverywhere(urls, own);
    }
  });
}
