import { afterAll, describe, it, vi } from "vitest";
import { traceStoreContract } from "../../../contract/trace-store-contract.ts";
import { openClickHouseStore } from "../clickhouse-store.ts";
import { newDatabaseName } from "../test-server.ts";
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
  const { urls, settings } = cluster;
  const database = newDatabaseName();
  traceStoreContract({ name, open: () => openClickHouseStore({ urls, database, cluster: settings }) });
  afterAll(() => dropEverywhere(urls, database));
}
