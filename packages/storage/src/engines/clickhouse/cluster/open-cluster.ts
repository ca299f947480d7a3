import { StorageError } from "../../../api/storage-error.ts";
import { ClickHouseConnection, type ConnectionOptions } from "../clickhouse-connection.ts";
import type { RunSettleStep } from "../clickhouse-dependencies.ts";
import { isHostFault } from "../clickhouse-errors.ts";
import { SchemaGuard } from "../schema/schema-guard.ts";
import {
  checkCluster,
  clusterInsertSettings,
  clusterReadSettings,
  steadySettings,
} from "./cluster-query-settings.ts";
import type { ClusterSettings } from "./cluster-settings.ts";
import { localTable, withLocalTables } from "./cluster-statements.ts";
import { ensureClusterSchema } from "./ensure-cluster-schema.ts";

/** What a store needs of its servers. */
export interface OpenServers {
  readonly connection: ClickHouseConnection;
  readonly schema: SchemaGuard;
  /** For what must be seen at once by all who ask. */
  readonly shared: ClickHouseConnection;
  /** undefined where one server settles all dependencies */
  readonly settleStep: RunSettleStep | undefined;
}

/**
 * The servers of a cluster. One that was away when the others got their tables gets its own when it is back.
 * @throws StorageError STORAGE_REFUSED for settings that cannot work
 */
export function openCluster(
  options: ConnectionOptions,
  database: string,
  cluster: ClusterSettings,
): OpenServers {
  checkCluster(cluster);
  let unseen: readonly string[] = [];
  const connection = new ClickHouseConnection({
    ...options,
    readSettings: clusterReadSettings,
    insertSettings: clusterInsertSettings(cluster),
    onHostChange(url, isUp, reason) {
      if (isUp && unseen.includes(url)) schema.forget();
      options.onHostChange?.(url, isUp, reason);
    },
  });
  const schema: SchemaGuard = new SchemaGuard(connection, database, async (signal) => {
    unseen = await ensureClusterSchema(connection, database, cluster, signal);
  });
  return {
    connection,
    schema,
    shared: connection.steady(steadySettings),
    settleStep: (sql, name, signal) => settleEverywhere(connection, database, cluster, { sql, name }, signal),
  };
}

/**
 * Settles calls on every server: spans and calls of a trace lie in one shard. A replica first takes what others of its
 * shard have settled; what two do in the same minute all the same has one token, and is done once.
 * @throws StorageError the first error that is not that of a server which is away
 */
export async function settleEverywhere(
  connection: ClickHouseConnection,
  database: string,
  cluster: ClusterSettings,
  step: { readonly sql: string; readonly name: string },
  signal: AbortSignal,
): Promise<void> {
  const insert = withLocalTables(step.sql, database);
  const minute = Math.floor(Date.now() / 60_000);
  for (const { connection: host } of connection.each()) {
    try {
      if (cluster.isReplicated) {
        const table = `${database}.${localTable("dependency_calls")}`;
        await host.command(`SYSTEM SYNC REPLICA ${table} LIGHTWEIGHT`, signal);
      }
      const settings = { insert_deduplication_token: `settle/${step.name}/${minute}` };
      await host.insert(insert, settings, new Uint8Array(), signal);
    } catch (error) {
      if (!(error instanceof StorageError && isHostFault(error))) throw error;
    }
  }
}
