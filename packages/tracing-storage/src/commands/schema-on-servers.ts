import {
  type ClickHouseStoreOptions,
  changeShards,
  migrateSchema,
  type ServerMigration,
  schemaVersion,
} from "storage/clickhouse";

/** What a command did, for people. */
export interface ServersChanged {
  readonly lines: readonly string[];
  /** No server was left out. */
  readonly isDone: boolean;
}

/** Changes the tables of servers. @throws StorageError */
export async function changeOnServers(
  asked: "migrate" | "add-shard" | "remove-shard",
  servers: ClickHouseStoreOptions,
): Promise<ServersChanged> {
  if (asked === "migrate") {
    const migrations = await migrateSchema(servers);
    return {
      lines: migrations.map(migrationLine),
      isDone: migrations.every(({ after }) => after === schemaVersion),
    };
  }
  const { done, next } = await changeShards(servers, asked === "add-shard" ? "add" : "remove");
  return { lines: [...done, ...(next === undefined ? [] : [`next: ${next}`])], isDone: true };
}

function migrationLine({ url, before, after }: ServerMigration): string {
  if (after === undefined) {
    return `${url}: away; it gets its tables when it is back, from the next process that asks it, or when this is run again`;
  }
  if (before === after) return `${url}: schema ${after} already`;
  return before === 0 || before === undefined
    ? `${url}: schema ${after}, new`
    : `${url}: schema ${before}, now ${after}`;
}
