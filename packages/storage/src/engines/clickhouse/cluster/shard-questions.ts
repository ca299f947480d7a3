import type { ClickHouseConnection } from "../clickhouse-connection.ts";
import type { ClusterSettings } from "../cluster-settings.ts";
import { RunningTimeout } from "../hosts/running-timeout.ts";
import { clusterReadSettings } from "./cluster-query-settings.ts";
import { localTable } from "./cluster-statements.ts";
import type { ListedShard } from "./shard-watch.ts";

/** Settings of the query that finds answering shards. The query waits for shards that do not answer. */
const reachSettings = {
  ...clusterReadSettings,
  skip_unavailable_shards: "1",
  skip_unavailable_shards_mode: "unavailable",
  handshake_timeout_ms: "1000",
  connections_with_failover_max_tries: "1",
  receive_timeout: "3",
  // Each shard returns a separate row, even when it has no data.
  distributed_group_by_no_merge: "1",
};

/** The shards in a server's configuration of the cluster. */
export async function listedShards(
  connection: ClickHouseConnection,
  cluster: ClusterSettings,
  signal: AbortSignal,
): Promise<ListedShard[]> {
  const sql =
    "SELECT shard_num AS shard, arraySort(groupArray(concat(host_name, ':', toString(port)))) AS hosts FROM system.clusters " +
    "WHERE cluster = {cluster:String} GROUP BY shard_num ORDER BY shard_num";
  return await connection.ofShards({}).rows<ListedShard>(sql, { cluster: cluster.name }, { signal });
}

/**
 * Finds the shards that answer, by reading a small table that readers may read. `cluster()` would need an additional
 * right.
 */
export async function reachedShards(
  connection: ClickHouseConnection,
  database: string,
  signal: AbortSignal,
): Promise<number[]> {
  const sql = `SELECT shardNum() AS shard, count() AS rows FROM ${database}.leases`;
  const rows = await connection.ofShards(reachSettings).rows<{ shard: number }>(sql, {}, { signal });
  return rows.map(({ shard }) => shard);
}

/** Time limit in milliseconds, so that a hung server does not delay the answers of other servers. */
const readOnlyTimeoutMs = 1_000;

/** For each server that answers: true when its tables are read-only because it cannot reach its Keeper. */
export async function readOnlyHosts(
  connection: ClickHouseConnection,
  database: string,
  signal: AbortSignal,
): Promise<boolean[]> {
  const sql =
    "SELECT countIf(is_readonly) > 0 AS readOnly FROM system.replicas WHERE database = {database:String} AND table = {table:String}";
  const parameters = { database, table: localTable("spans") };
  const looks = connection
    .each()
    .filter(({ isUp }) => isUp)
    .map(async ({ connection: host }) => {
      const timeout = new RunningTimeout(readOnlyTimeoutMs);
      const own = AbortSignal.any([signal, timeout.signal]);
      try {
        return await host.rows<{ readOnly: number }>(sql, parameters, { signal: own });
      } finally {
        timeout.end();
      }
    });
  const answers = await Promise.allSettled(looks);
  return answers.flatMap((look) =>
    look.status === "fulfilled" ? look.value.map((row) => row.readOnly === 1) : [],
  );
}
