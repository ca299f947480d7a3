import { setTimeout as sleep } from "node:timers/promises";
import type { ClickHouseConnection } from "../clickhouse-connection.ts";
import { isSchemaMissing, isTableInUse } from "../clickhouse-errors.ts";

/** The tables of a single server whose inserts fill views, and that others insert into. */
export const sourcesOfViews = ["spans", "repeated_spans"];
/** Longest wait for searches in a table that is taken away for a moment. Milliseconds. */
const statementTimeoutMs = 600_000;
/** Tries to put a table back that a search still uses; together they take ten minutes. */
const attachEveryMs = 250;
const attachTries = 2_400;

/** Runs `work` while the tables `sources` take nothing. It is not stopped half-way by a signal. */
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

/** Puts the tables back that are away: of `withoutInserts`, or of a process that ended in it. */
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
    // A server from before that table, whose tables are never taken away.
    if (isSchemaMissing(error)) {
      return [];
    }
    throw error;
  }
}
