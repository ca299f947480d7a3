/** Placement of a database's tables in a cluster of ClickHouse. See docs/adr/012-cluster.md. */
export interface ClusterSettings {
  /** Name of the cluster in the servers' `remote_servers`: letters, digits, `_` and `-`. */
  readonly name: string;
  /**
   * True: tables are replicated, which needs a Keeper and the macros `shard` and `replica`. False: each
   * server is a shard.
   */
  readonly isReplicated: boolean;
  /** True: schema statements go to one server, with `ON CLUSTER`. False: schema statements go to each listed server. */
  readonly onCluster: boolean;
  /**
   * Number of replicas of a shard that must store a block before the insert is confirmed. "auto" means a majority. With
   * 0, one replica is enough, so writes continue when the other replicas are down.
   */
  readonly insertQuorum: number | "auto";
}
