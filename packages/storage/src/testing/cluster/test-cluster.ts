import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { ClusterSettings } from "../../engines/clickhouse/cluster-settings.ts";
import { runSql } from "../../engines/clickhouse/test-server.ts";

/** A cluster given by environment variables. */
export interface TestCluster {
  readonly urls: readonly string[];
  readonly shards: number;
  readonly settings: ClusterSettings;
  /** Shell commands for the last server of the list; undefined when the environment has none. */
  readonly kill: (() => Promise<void>) | undefined;
  readonly start: (() => Promise<void>) | undefined;
}

/**
 * `SHARDS`: each server is a separate shard. `REPLICAS`: all servers are replicas of one shard. `GRID`: shards with two
 * replicas each.
 */
export type ClusterKind = "SHARDS" | "REPLICAS" | "GRID";

/** Number of replicas of each shard. */
const replicas: Record<ClusterKind, (servers: number) => number> = {
  SHARDS: () => 1,
  REPLICAS: (servers) => servers,
  GRID: () => 2,
};

/**
 * Reads `TRACING_TEST_CLUSTER_SHARDS`, `…_REPLICAS` or `…_GRID`: comma-separated addresses of all servers of one
 * cluster. With `_KILL` and `_START` appended, these variables contain commands that kill and start the last server.
 * @returns undefined, after a message, when the variable is not set
 */
export async function namedCluster(kind: ClusterKind): Promise<TestCluster | undefined> {
  const name = `TRACING_TEST_CLUSTER_${kind}`;
  const urls = (process.env[name] ?? "").split(",").filter((url) => url !== "");
  const [first] = urls;
  if (first === undefined) {
    console.info(`no cluster of ${kind.toLowerCase()} is tested: ${name} names no servers`);
    return undefined;
  }
  const copies = replicas[kind](urls.length);
  const found = await runSql(
    first,
    `SELECT cluster, (SELECT count() FROM system.macros WHERE macro = 'replica') FROM system.clusters
GROUP BY cluster HAVING count() = ${urls.length} AND uniqExact(shard_num) = ${urls.length / copies} ORDER BY cluster LIMIT 1`,
  );
  const [cluster = "", replicaMacros] = found.split("\t");
  if (cluster === "") {
    throw new Error(`${name}: ${first} knows no cluster of just these servers`);
  }
  const command = (suffix: string) => {
    const text = process.env[`${name}_${suffix}`];
    if (text === undefined) {
      return undefined;
    }
    return async () => {
      await promisify(execFile)("/bin/sh", ["-c", text]);
    };
  };
  return {
    urls,
    shards: urls.length / copies,
    settings: {
      name: cluster,
      isReplicated: replicaMacros !== "0",
      onCluster: false,
      // Tests read from any replica, so every replica must store each block.
      insertQuorum: copies > 1 ? copies : 0,
    },
    kill: command("KILL"),
    start: command("START"),
  };
}

/** Drops a database on every server. */
export async function dropEverywhere(urls: readonly string[], database: string): Promise<void> {
  for (const url of urls) {
    await runSql(url, `DROP DATABASE IF EXISTS ${database} SYNC`);
  }
}
