import { ClickHouseConnection } from "./clickhouse-connection.ts";
import { clickHouseSettings } from "./clickhouse-settings.ts";
import type { ClickHouseStoreOptions } from "./clickhouse-store-options.ts";
import { checkCluster } from "./cluster/cluster-query-settings.ts";
import { ensureClusterSchema } from "./cluster/ensure-cluster-schema.ts";
import { hostStates, patientLookMs } from "./cluster/host-state.ts";
import { ensureSchema, readVersion } from "./schema/ensure-schema.ts";

/** The schema of one server, before and after. */
export interface ServerMigration {
  readonly url: string;
  /** Version before; 0: there were no tables. undefined: the server is away. */
  readonly before: number | undefined;
  /** Version now. undefined: the server is away. */
  readonly after: number | undefined;
}

/**
 * Brings the tables to the version of this program, as its processes do it by themselves, but without their
 * deadlines.
 * @returns the steps done at each server, in the order of their addresses
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
