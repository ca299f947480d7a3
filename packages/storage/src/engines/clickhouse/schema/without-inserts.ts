import { setTimeout as sleep } from "node:timers/promises";
import type { ClickHouseConnection } from "../clickhouse-connection.ts";
import { isSchemaMissing, isTableInUse } from "../clickhouse-errors.ts";

/** Tables of a single server that receive inserts and trigger views. */
export const sourcesOfViews = ["spans", "repeated_spans"];
/** Time limit in milliseconds for searches that still run in a table that will be detached. */
const statementTimeoutMs = 600_000;
/**
 * Time in milliseconds between attempts to attach a table that a search still uses. All attempts together take ten
 * minutes.
 */
const attachEveryMs = 250;
const attachTries = 2_400;

/** Runs `work` while the tables `sources` refuse inserts. A signal does not stop the function in the middle. */
export async function withoutInserts(
  connection: ClickHouseConnection,
  database: string,
  sources: readonly string[],
  work: () => Promise<void>,
): Promise<void> {
  try {
    for (const table of sources) {
      await connection.longCommand(`DETACH TABLE IF EXISTS ${database}.${table} SYNC`, statementTimeoutMs);
    }
    await work();
  } finally {
    await attachSources(connection, database, sources);
  }
}

/** Attaches detached tables again: after `withoutInserts`, or when a process ended during it. */
export async function attachSources(
  connection: ClickHouseConnection,
  database: string,
  sources: readonly string[],
): Promise<void> {
  const detached = await detachedTables(connection, database);
  for (const table of sources.filter((source) => detached.some(({ name }) => name === source))) {
    for (let left = attachTries; ; left--) {
      try {
        await connection.longCommand(`ATTACH TABLE IF NOT EXISTS ${database}.${table}`, statementTimeoutMs);
        break;
      } catch (error) {
        if (left === 0 || !isTableInUse(error)) {
          throw error;
        }
        await sleep(attachEveryMs);
      }
    }
  }
}

async function detachedTables(
  connection: ClickHouseConnection,
  database: string,
): Promise<{ name: string }[]> {
  try {
    const sql = "SELECT table AS name FROM system.detached_tables WHERE database = {database:String}";
    return await connection.rows<{ name: string }>(sql, { database });
  } catch (error) {
    // The server is too old to have that system table, so its tables were never detached by this function.
    if (isSchemaMissing(error)) {
      return [];
    }
    throw error;
  }
}
