import { ClickHouseConnection } from "./clickhouse-connection.ts";
import { clickHouseSettings } from "./clickhouse-settings.ts";
import type { ClickHouseStoreOptions } from "./clickhouse-store-options.ts";
import { checkCluster } from "./cluster/cluster-query-settings.ts";
import { ensureClusterSchema } from "./cluster/ensure-cluster-schema.ts";
import { hostStates, patientLookMs } from "./cluster/host-state.ts";
import { ensureSchema, readVersion } from "./schema/ensure-schema.ts";

/** Schema versions of one server, before and after the migration. */
export interface ServerMigration {
  readonly url: string;
  /** Version before the migration. 0: there were no tables. Undefined: the server is down. */
  readonly before: number | undefined;
  /** Version after the migration. Undefined: the server is down. */
  readonly after: number | undefined;
}

/**
 * Migrates the tables to the version of this program. Processes do the same at startup, but with time limits.
 * @returns versions of each server, in the order of their addresses
 * @throws StorageError STORAGE_VERSION when a server has a newer version; then nothing is changed
 */
export async function migrateSchema(
  options: ClickHouseStoreOptions,
  signal?: AbortSignal,
): Promise<ServerMigration[]> {
  const settings = clickHouseSettings(options);
  const { database } = settings;
  const { cluster } = options;
  if (cluster !== undefined) {
    checkCluster(cluster);
  }
  const connection = new ClickHouseConnection(settings);
  const look = { signal, longestMs: patientLookMs };
  const versions = async (): Promise<Map<string, number>> => {
    if (cluster === undefined) {
      const version = await readVersion(connection, database, signal);
      return new Map(connection.each().map(({ url }) => [url, version]));
    }
    const { states } = await hostStates(connection, database, cluster, look);
    return new Map(states.map(({ url, version }) => [url, version]));
  };
  try {
    const before = await versions();
    if (cluster === undefined) {
      await ensureSchema(connection, database, signal);
    } else {
      await ensureClusterSchema(connection, database, cluster, look);
    }
    const after = await versions();
    return connection.each().map(({ url }) => ({ url, before: before.get(url), after: after.get(url) }));
  } finally {
    await connection.close();
  }
}
