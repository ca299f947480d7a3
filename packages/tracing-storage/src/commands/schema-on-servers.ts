import {
  type ClickHouseStoreOptions,
  changeShards,
  compareDerived,
  type DerivedComparison,
  migrateSchema,
  type ServerMigration,
  schemaVersion,
} from "storage/clickhouse";

/** The result of a command, for the terminal. */
export interface ServersChanged {
  readonly lines: readonly string[];
  /** True when every server was reached and had no fault. */
  readonly isDone: boolean;
}

/**
 * Changes or checks the tables of servers.
 * @param repair true: a check also adds missing rows
 * @throws StorageError
 */
export async function changeOnServers(
  asked: "migrate" | "add-shard" | "remove-shard" | "check",
  servers: ClickHouseStoreOptions,
  repair: boolean,
): Promise<ServersChanged> {
  if (asked === "check") {
    return comparisonLines(await compareDerived(servers, { days: "ended", repair }));
  }
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
  if (after === 0) {
    return `${url}: no tables, as the Keeper remembers its replica: SYSTEM DROP REPLICA on another server of its shard, then this again`;
  }
  if (before === after) {
    return `${url}: schema ${after} already`;
  }
  return before === 0 || before === undefined
    ? `${url}: schema ${after}, new`
    : `${url}: schema ${before}, now ${after}`;
}

function comparisonLines({ days, spans, differences }: DerivedComparison): ServersChanged {
  const lines = differences.map(({ table, day, url, counts, missing, surplus, isRepaired }) => {
    const parts = [
      ...(missing > 0 ? [`${missing} ${counts} missing${isRepaired ? ", added now" : ""}`] : []),
      ...(surplus > 0 ? [`${surplus} ${counts} more than the spans explain`] : []),
    ];
    return `${table}, ${day}, ${url}: ${parts.join("; ")}`;
  });
  const isDone = differences.every(({ surplus, isRepaired }) => surplus === 0 && isRepaired);
  return {
    lines: [...lines, `compared: ${days} days with ${spans} spans; ${lines.length} differences`],
    isDone,
  };
}
