import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { TraceStore } from "../../../api/trace-store.ts";
import { newToken, rowsOfTenant } from "../../../contract/contract-context.ts";
import { newTraceId, sampleSpan } from "../../../contract/sample-spans.ts";
import { StandInServer } from "../../../testing/cluster/stand-in-cluster.ts";
import { dropEverywhere, namedCluster } from "../../../testing/cluster/test-cluster.ts";
import { openClickHouseStore } from "../clickhouse-store.ts";
import { newDatabaseName, runSql } from "../test-server.ts";
import { deleteSpans } from "./delete-spans.ts";

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

test("nothing is deleted while a shard has no server", async () => {
  const shards = [["a", "b"], ["c"]];
  const key = "cityHash64(trace_id) % 2";
  const servers = [
    new StandInServer("a", "s1", shards, key),
    new StandInServer("c", "s2", shards, key),
  ] as const;
  const urls = await Promise.all(servers.map((server) => server.listen()));
  try {
    servers[1].isAway = true;
    const cluster = { name: "main", isReplicated: true, onCluster: false, insertQuorum: 0 } as const;
    await expect(deleteSpans({ urls, cluster }, { tenant: "acme" }, { isDryRun: false })).rejects.toThrow(
      /servers of 1 of .* shards answer or are named, so nothing was deleted; away: /,
    );
  } finally {
    await Promise.all(servers.map((server) => server.close()));
  }
});

for (const kind of ["SHARDS", "REPLICAS", "GRID"] as const) {
  const cluster = await namedCluster(kind);
  if (cluster === undefined) {
    describe(`a cluster of ${kind.toLowerCase()}`, () => {
      test.skip(`deletes everywhere (skipped: TRACING_TEST_CLUSTER_${kind} names no servers)`, () => {});
    });
    continue;
  }
  const { urls, settings } = cluster;
  describe(`a cluster of ${kind.toLowerCase()}`, () => {
    const database = newDatabaseName();
    let store: TraceStore;
    beforeAll(async () => {
      store = openClickHouseStore({ urls, database, cluster: settings });
      await store.ready();
    });
    afterAll(async () => {
      await store.close();
      await dropEverywhere(urls, database);
    });
    const onEach = (sql: string) =>
      Promise.all(urls.map((url) => runSql(url, sql.replaceAll("{}", database))));

    test("deletes on every server of every shard", async () => {
      const ids = Array.from({ length: 100 }, () => newTraceId());
      for (const tenant of ["acme", "beta"]) {
        const rows = () =>
          rowsOfTenant(tenant, ...ids.map((traceId) => sampleSpan({ traceId, name: tenant })));
        await store.writer.writeSpans(rows(), { deduplicationToken: newToken() });
        await store.archive.writer.writeSpans(rows(), { deduplicationToken: newToken() });
      }
      const remove = (selection: Parameters<typeof deleteSpans>[1]) =>
        deleteSpans({ urls, database, cluster: settings }, selection, { isDryRun: false });
      const some = await remove({ traceIds: ids.slice(0, 50) });
      expect(some).toMatchObject({ traces: 50, away: [] });
      expect(some.tables.every(({ remaining }) => remaining === 0)).toBe(true);
      expect(some.tables.reduce((sum, { table, rows }) => sum + (table === "spans" ? rows : 0), 0)).toBe(100);
      await remove({ tenant: "acme" });
      for (const table of ["spans", "archived_spans"]) {
        const all = `SELECT uniqExact(trace_id), any(name), max(name) FROM {}.${table}`;
        expect(new Set(await onEach(all)), table).toEqual(new Set(["50\tbeta\tbeta"]));
      }
      for (const table of ["operations", "span_metrics"]) {
        const of = `SELECT countIf(tenant = 'acme') FROM {}.${table}_local`;
        expect(new Set(await onEach(of)), table).toEqual(new Set(["0"]));
      }
      const minutes = `SELECT uniqExact(trace_id) FROM {}.trace_minutes`;
      expect(new Set(await onEach(minutes))).toEqual(new Set(["50"]));
    });
  });
}
