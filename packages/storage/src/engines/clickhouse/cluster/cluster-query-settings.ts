import { StorageError } from "../../../api/storage-error.ts";
import type { ClusterSettings } from "./cluster-settings.ts";

type Settings = Readonly<Record<string, string>>;

/** Below the deadline of a call, so that the server says that the replicas are missing, and not our clock. */
const quorumTimeoutMs = 20_000;

/**
 * How long one server of the cluster waits for another. A hung one takes connections and says nothing: with the servers' own times,
 * 10 s and three tries, an insert waits for half a minute.
 */
const neighbourTimes: Settings = {
  handshake_timeout_ms: "3000",
  connections_with_failover_max_tries: "2",
};

/** Of the settings here, those that older servers do not know. Statements are right without them. */
export const optionalClusterSettings = [
  "handshake_timeout_ms",
  "distributed_insert_skip_read_only_replicas",
  "skip_unavailable_shards_mode",
  "max_skip_unavailable_shards_num",
] as const;

/** Settings of reads from a cluster. */
export const clusterReadSettings: Settings = {
  // What stands in `IN (SELECT …)` and in joins lies in the same shard, as all that belongs to a trace does.
  distributed_product_mode: "local",
  // Of a cluster of one shard the server does not do so, and counts each `IN (SELECT …)` in another: five are allowed otherwise.
  max_distributed_depth: "64",
  // Traces named by id are asked of the shards that have them.
  optimize_skip_unused_shards: "1",
  // Whatever the profile of the user says: rows are left out only where the answer says so.
  skip_unavailable_shards: "0",
  ...neighbourTimes,
  // While it reads, a server says every tenth of a second how far it is.
  receive_timeout: "10",
};

/** Settings of inserts into a cluster. */
export function clusterInsertSettings({ isReplicated, insertQuorum }: ClusterSettings): Settings {
  return {
    // An insert is acknowledged when every shard has its rows, rather than when this server has put them aside.
    distributed_foreground_insert: "1",
    // Whatever the profile of the user says of reads: no part of a block may be left out.
    skip_unavailable_shards: "0",
    // No shorter times for the answer of another server: one that is hung up on while it asks its Keeper what became of a block may
    // drop rows that count as stored (https://github.com/ClickHouse/ClickHouse/issues/112149). Whoever writes asks a second server instead.
    ...neighbourTimes,
    distributed_insert_skip_read_only_replicas: "1",
    ...(isReplicated && insertQuorum !== 0
      ? { insert_quorum: String(insertQuorum), insert_quorum_timeout: String(quorumTimeoutMs) }
      : {}),
  };
}

/**
 * Settings besides those, of reads and inserts that must see each other: all go to the same replica as long as it is
 * there, wherever they enter the cluster.
 */
export const steadySettings: Settings = { load_balancing: "in_order", prefer_localhost_replica: "0" };

/** @throws StorageError STORAGE_REFUSED for settings that cannot work */
export function checkCluster({ name, insertQuorum, isReplicated }: ClusterSettings): void {
  // It stands in statements as it is.
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    throw new StorageError(
      "STORAGE_REFUSED",
      `cluster name "${name}" is not 1 to 64 letters, digits, _ and -`,
    );
  }
  if (insertQuorum === 0) return;
  if (!isReplicated) throw new StorageError("STORAGE_REFUSED", "a quorum of inserts needs replicated tables");
  if (insertQuorum !== "auto" && (!Number.isInteger(insertQuorum) || insertQuorum < 0 || insertQuorum > 99)) {
    throw new StorageError("STORAGE_REFUSED", `a quorum of ${insertQuorum} replicas is not 0 to 99`);
  }
}
