import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Span } from "wire/model";
import type { TraceStore } from "../../../api/trace-store.ts";
import { newToken, rowsOfTenant } from "../../../contract/contract-context.ts";
import { newTraceId, noonUnixNano, sampleSpan } from "../../../contract/sample-spans.ts";
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
  const { urls, settings, kill, start } = cluster;
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

    /** Writes a span of each id for a tenant, also into the archive. */
    async function write(tenant: string, ids: readonly string[], facts: Partial<Span> = {}): Promise<void> {
      const rows = () =>
        rowsOfTenant(tenant, ...ids.map((traceId) => sampleSpan({ traceId, name: tenant, ...facts })));
      await store.writer.writeSpans(rows(), { deduplicationToken: newToken() });
      await store.archive.writer.writeSpans(rows(), { deduplicationToken: newToken() });
    }
    const newIds = (count: number) => Array.from({ length: count }, () => newTraceId());

    test("deletes old spans of a tenant, and keeps new ones, those of others, and the archive", async () => {
      const dayNano = 86_400_000_000_000n;
      const old = { startTimeUnixNano: noonUnixNano - 30n * dayNano };
      const [oldIds, newOnes, others] = [newIds(40), newIds(40), newIds(40)];
      await write("keeps-a-week", oldIds, old);
      await write("keeps-a-week", newOnes);
      await write("keeps-all", others, old);
      const selection = { tenant: "keeps-a-week", toUnixNano: noonUnixNano - 7n * dayNano };
      const servers = { urls, database, cluster: settings };
      const counted = await deleteSpans(servers, selection, { isDryRun: true, keepsArchive: true });
      const report = await deleteSpans(servers, selection, { isDryRun: false, keepsArchive: true });
      const spansOf = ({ tables }: typeof report, of: "rows" | "remaining") =>
        tables.reduce((sum, table) => sum + (table.table === "spans" ? table[of] : 0), 0);
      expect([spansOf(counted, "rows"), spansOf(report, "rows"), spansOf(report, "remaining")]).toEqual([
        ...[40, 40, 0],
      ]);
      const left = (table: string) =>
        `SELECT tenant, count() FROM {}.${table} WHERE tenant LIKE 'keeps%' GROUP BY tenant ORDER BY tenant`;
      expect(new Set(await onEach(left("spans")))).toEqual(new Set(["keeps-a-week\t40\nkeeps-all\t40"]));
      expect(new Set(await onEach(left("archived_spans")))).toEqual(
        new Set(["keeps-a-week\t80\nkeeps-all\t40"]),
      );
      const reader = (tenant: string, ids: string[]) => store.reader.getTraces(ids, { tenant });
      expect(await reader("keeps-a-week", [...oldIds, ...newOnes])).toHaveLength(40);
      expect(await reader("keeps-all", others)).toHaveLength(40);
    });

    test("deletes the spans of a user", async () => {
      const attribute = (value: string) => ({
        attributes: [{ key: "user.id", value: { type: "string", value } as const }],
      });
      const [ann, ben] = [newIds(30), newIds(30)];
      await write("shop", ann, attribute("ann"));
      await write("shop", ben, attribute("ben"));
      const servers = { urls, database, cluster: settings };
      const selection = { tenant: "shop", attribute: { key: "user.id", value: "ann" } };
      const report = await deleteSpans(servers, selection, { isDryRun: false });
      expect(report).toMatchObject({ traces: 30, away: [] });
      expect(report.tables.every(({ remaining }) => remaining === 0)).toBe(true);
      const options = { tenant: "shop" };
      expect(await store.reader.getTraces([...ann, ...ben], options)).toHaveLength(30);
      expect(await store.archive.reader.getTraces(ann, options)).toEqual([]);
    });

    test.skipIf(kill === undefined || start === undefined || urls.length === 1 || kind === "SHARDS")(
      `a replica that is away deletes when it is back (skipped without TRACING_TEST_CLUSTER_${kind}_KILL)`,
      async () => {
        const ids = newIds(50);
        await write("gone", ids);
        const last = urls.at(-1) ?? "";
        await kill?.();
        try {
          const servers = { urls, database, cluster: settings };
          const report = await deleteSpans(servers, { tenant: "gone" }, { isDryRun: false });
          expect(report.away).toEqual([expect.stringContaining(new URL(last).host)]);
          expect(report.tables.every(({ remaining }) => remaining === 0)).toBe(true);
        } finally {
          await start?.();
        }
        const left = `SELECT count() FROM ${database}.spans_local WHERE tenant = 'gone'`;
        await expect.poll(() => runSql(last, left).catch(String), { timeout: 120_000 }).toBe("0");
      },
    );

    test("deletes on every server of every shard", async () => {
      const ids = newIds(100);
      for (const tenant of ["acme", "beta"]) {
        await write(tenant, ids);
      }
      const remove = (selection: Parameters<typeof deleteSpans>[1]) =>
        deleteSpans({ urls, database, cluster: settings }, selection, { isDryRun: false });
      const some = await remove({ traceIds: ids.slice(0, 50) });
      expect(some).toMatchObject({ traces: 50, away: [] });
      expect(some.tables.every(({ remaining }) => remaining === 0)).toBe(true);
      expect(some.tables.reduce((sum, { table, rows }) => sum + (table === "spans" ? rows : 0), 0)).toBe(100);
      await remove({ tenant: "acme" });
      for (const table of ["spans", "archived_spans"]) {
        const all = `SELECT uniqExact(trace_id), any(name), max(name) FROM {}.${table} WHERE tenant IN ('acme', 'beta')`;
        expect(new Set(await onEach(all)), table).toEqual(new Set(["50\tbeta\tbeta"]));
      }
      for (const table of ["operations", "span_metrics"]) {
        const of = `SELECT countIf(tenant = 'acme') FROM {}.${table}_local`;
        expect(new Set(await onEach(of)), table).toEqual(new Set(["0"]));
      }
      const listed = ids.map((id) => `'${id}'`).join(", ");
      const minutes = `SELECT uniqExact(trace_id) FROM {}.trace_minutes WHERE lower(hex(trace_id)) IN (${listed})`;
      expect(new Set(await onEach(minutes))).toEqual(new Set(["50"]));
    });
  });
}
