/** How the tables of a database lie in a cluster of ClickHouse. See docs/adr/012-cluster.md. */
export interface ClusterSettings {
  /** Name in the servers' `remote_servers`: letters, digits, `_` and `-`. */
  readonly name: string;
  /**
   * True: tables are replicated, which needs a Keeper and the macros `shard` and `replica`. False: each
   * server is a shard.
   */
  readonly isReplicated: boolean;
  /** Statements of the schema go to one server, with `ON CLUSTER`, rather than to each that is listed. */
  readonly onCluster: boolean;
  /**
   * Replicas of a shard that must have a block before it is acknowledged. "auto": more than half of them. 0:
   * a single one, for operators who prefer to continue with one replica.
   */
  readonly insertQuorum: number | "auto";
}
