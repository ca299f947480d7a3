import { StorageError } from "../../../api/storage-error.ts";
import type { ClusterSettings } from "../cluster-settings.ts";

type Settings = Readonly<Record<string, string>>;

/**
 * Shorter than the deadline of a call, so that the server reports the missing replicas before our deadline.
 */
const quorumTimeoutMs = 20_000;

/**
 * Time limits of one server of the cluster for another. A hung server accepts connections and sends nothing.
 * With the servers' own limits, 10 s and three tries, an insert would wait half a minute.
 */
const neighbourTimes: Settings = {
  handshake_timeout_ms: "3000",
  connections_with_failover_max_tries: "2",
};

/** Settings among these that older servers do not know. Statements are correct without them. */
export const optionalClusterSettings = [
  "handshake_timeout_ms",
  "distributed_insert_skip_read_only_replicas",
  "skip_unavailable_shards_mode",
  "max_skip_unavailable_shards_num",
] as const;

/** Settings of reads from a cluster. */
export const clusterReadSettings: Settings = {
  // Subqueries in `IN` and joins read the same shard, which holds everything of a trace.
  distributed_product_mode: "local",
  // In a cluster of one shard the server ignores that setting and counts each nested `IN (SELECT …)`; its
  // default allows five.
  max_distributed_depth: "64",
  // Traces that are named by id are read from their shards only.
  optimize_skip_unused_shards: "1",
  // Overrides the user's profile: rows may only be left out when the answer says so.
  skip_unavailable_shards: "0",
  // Seconds that a replica may be behind and still be read when another replica is not behind. With the servers' 300,
  // every second search lacked the newest traces. When all are further behind, the server takes the best of them.
  max_replica_delay_for_distributed_queries: "10",
  fallback_to_stale_replicas_for_distributed_queries: "1",
  ...neighbourTimes,
  // While it reads, a server reports its progress ten times a second.
  receive_timeout: "10",
};

/** Settings of inserts into a cluster. */
export function clusterInsertSettings({ isReplicated, insertQuorum }: ClusterSettings): Settings {
  return {
    // An insert is acknowledged when every shard has its rows, not when this server has queued them.
    distributed_foreground_insert: "1",
    // Overrides the user's profile, which may allow it for reads: no part of a block may be left out.
    skip_unavailable_shards: "0",
    // The limit for the answer of another server is not lowered. A server whose caller disconnects while it
    // asks its Keeper about a block may drop rows that count as stored
    // (https://github.com/ClickHouse/ClickHouse/issues/112149). The writer tries a second server instead.
    ...neighbourTimes,
    distributed_insert_skip_read_only_replicas: "1",
    ...(isReplicated && insertQuorum !== 0
      ? { insert_quorum: String(insertQuorum), insert_quorum_timeout: String(quorumTimeoutMs) }
      : {}),
  };
}

/**
 * Further settings for reads and inserts that must see each other. All go to the same replica while it is up,
 * whichever server they enter by.
 */
export const steadySettings: Settings = { load_balancing: "in_order", prefer_localhost_replica: "0" };

/** @throws StorageError STORAGE_REFUSED for settings that cannot work */
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
