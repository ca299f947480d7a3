import { StorageError } from "../../../api/storage-error.ts";
import type { ClusterSettings } from "../cluster-settings.ts";

type Settings = Readonly<Record<string, string>>;

/**
 * Time in milliseconds for which an insert waits for its quorum. It is shorter than the deadline of a call, so that the
 * server reports missing replicas before the deadline.
 */
const quorumTimeoutMs = 20_000;

/**
 * Time limits for calls between the servers of a cluster. A hung server accepts connections and sends nothing. With the
 * servers' default limits, 10 s and three tries, an insert would wait half a minute.
 */
const neighbourTimes: Settings = {
  handshake_timeout_ms: "3000",
  connections_with_failover_max_tries: "2",
};

/** Cluster settings that older servers may not know. Statements are correct without them. */
export const optionalClusterSettings = [
  "handshake_timeout_ms",
  "distributed_insert_skip_read_only_replicas",
  "skip_unavailable_shards_mode",
  "max_skip_unavailable_shards_num",
] as const;

export const clusterReadSettings: Settings = {
  // Subqueries in `IN` and joins read the same shard, because all data of a trace is in one shard.
  distributed_product_mode: "local",
  // In a cluster of one shard the server ignores `distributed_product_mode` and counts each nested `IN (SELECT …)`. Its
  // default limit is five.
  max_distributed_depth: "64",
  // Traces named by id are read only from their shards.
  optimize_skip_unused_shards: "1",
  // This overrides the user's profile: rows may be left out only when the answer reports it.
  skip_unavailable_shards: "0",
  // Seconds that a replica may lag behind, if another replica is up to date. With the servers' default of 300, every
  // second search lacked the newest traces. When all replicas exceed the limit, the server uses the most recent
  // replica.
  max_replica_delay_for_distributed_queries: "10",
  fallback_to_stale_replicas_for_distributed_queries: "1",
  ...neighbourTimes,
  // Timeout in seconds without progress. During a read, a server reports its progress ten times per second.
  receive_timeout: "10",
};

/** Settings of inserts into a cluster. */
export function clusterInsertSettings({ isReplicated, insertQuorum }: ClusterSettings): Settings {
  return {
    // An insert is confirmed when every shard has its rows, not when this server has queued them.
    distributed_foreground_insert: "1",
    // This overrides the user's profile, which may allow skipping for reads; no rows of a block may be lost.
    skip_unavailable_shards: "0",
    // The time limit for another server's answer is not lowered. A server may drop rows that count as stored when its
    // caller disconnects during a request to the Keeper (https://github.com/ClickHouse/ClickHouse/issues/112149). The
    // writer tries a second server instead.
    ...neighbourTimes,
    distributed_insert_skip_read_only_replicas: "1",
    ...(isReplicated && insertQuorum !== 0
      ? { insert_quorum: String(insertQuorum), insert_quorum_timeout: String(quorumTimeoutMs) }
      : {}),
  };
}

/**
 * Additional settings for reads and inserts that must see each other's effects. While a replica is up, all calls use
 * this replica, through any server.
 */
export const steadySettings: Settings = { load_balancing: "in_order", prefer_localhost_replica: "0" };

/** @throws StorageError STORAGE_REFUSED for invalid settings */
export function checkCluster({ name, insertQuorum, isReplicated }: ClusterSettings): void {
  // The name is part of statements, so only safe names are accepted.
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    throw new StorageError(
      "STORAGE_REFUSED",
      `cluster name "${name}" is not 1 to 64 letters, digits, _ and -`,
    );
  }
  if (insertQuorum === 0) {
    return;
  }
  if (!isReplicated) {
    throw new StorageError("STORAGE_REFUSED", "a quorum of inserts needs replicated tables");
  }
  if (insertQuorum !== "auto" && (!Number.isInteger(insertQuorum) || insertQuorum < 0 || insertQuorum > 99)) {
    throw new StorageError("STORAGE_REFUSED", `a quorum of ${insertQuorum} replicas is not 0 to 99`);
  }
}
