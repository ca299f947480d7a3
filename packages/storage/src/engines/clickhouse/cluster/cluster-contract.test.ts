import { afterAll, describe, expect, it, vi } from "vitest";
import { traceStoreContract } from "../../../contract/trace-store-contract.ts";
import { openClickHouseStore } from "../clickhouse-store.ts";
import { newDatabaseName } from "../test-server.ts";
import { AcknowledgedRows, storedRows } from "./acknowledged-rows.ts";
import { dropEverywhere, namedCluster } from "./test-cluster.ts";

// Several servers on one machine take their time.
vi.setConfig({ testTimeout: 120_000 });

for (const kind of ["SHARDS", "REPLICAS", "GRID"] as const) {
  const name = `clickhouse, cluster of ${kind.toLowerCase()}`;
  const cluster = await namedCluster(kind);
  if (cluster === undefined) {
    describe(name, () => {
      it.skip(`passes the contract (skipped: TRACING_TEST_CLUSTER_${kind} names no servers)`, () => {});
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
    // When a test before has failed, this tells whether rows are missing, and where, or a read has not seen them.
    it.each(urls)("every block that was acknowledged is in all tables, as seen from %s", async (url) => {
      const { total } = acknowledged;
      expect(total).toBeGreaterThan(0);
      expect(await storedRows(url, database, shards)).toEqual({
        ...{ spans: total, counted: total },
        ...{ withoutMinute: 0, astray: 0 },
      });
    });
  });
  afterAll(() => dropEverywhere(urls, database));
}
