/** How the tables of a database lie in a cluster of ClickHouse. See docs/adr/012-cluster.md. */
export interface ClusterSettings {
  /** Name in the servers' `remote_servers`: letters, digits, `_` and `-`. */
  readonly name: string;
  /**
   * Tables are replicated: servers need a Keeper, and the macros `shard` and `replica`. Without it each server is a
   * shard of its own.
   */
  readonly isReplicated: boolean;
  /** Statements of the schema go to one server, with `ON CLUSTER`, rather than to each that is listed. */
  readonly onCluster: boolean;
  /**
   * How many replicas of a shard must have a block before it is acknowledged; "auto" is more than half of them, 0 (one)
   * is for those who would rather go on with one replica.
   */
  readonly insertQuorum: number | "auto";
}
