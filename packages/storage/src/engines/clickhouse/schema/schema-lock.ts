import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { StorageError } from "../../../api/storage-error.ts";
import type { ClickHouseConnection } from "../clickhouse-connection.ts";
import { isTableThere } from "../clickhouse-errors.ts";

const renewEveryMs = 10_000;
const lookEveryMs = 200;

/** Limits of the wait for a lock. */
interface LockOptions {
  /** Gives up waiting. */
  readonly signal?: AbortSignal | undefined;
  /** Age at which the owner of a lock counts as dead; far more than `renewEveryMs`. */
  readonly staleSeconds?: number | undefined;
}

/**
 * Runs `work` while no other process does, for this database on this server. The lock is a table: only one of
 * several processes can create it. Its comment names the owner, who rewrites it while the work runs. A lock
 * that was not renewed for a minute is taken over.
 * @throws StorageError, and any error of `work`
 */
export async function withSchemaLock<T>(
  connection: ClickHouseConnection,
  database: string,
  work: () => Promise<T>,
  { signal, staleSeconds = 60 }: LockOptions = {},
): Promise<T> {
  const table = `${database}.schema_lock`;
  const owner = randomUUID();
  while (!(await tryLock(connection, table, owner, signal))) {
    await dropStale(connection, database, staleSeconds, signal);
    await sleep(lookEveryMs, undefined, signal === undefined ? {} : { signal }).catch(() => {
      throw new StorageError("STORAGE_ABORTED", "the caller gave up");
    });
  }
  const renewal = setInterval(() => {
    // A lock that cannot be renewed is lost after a minute; the work under it is harmless when done twice.
    connection.command(`ALTER TABLE ${table} MODIFY COMMENT '${owner} ${Date.now()}'`).catch(() => {});
  }, renewEveryMs).unref();
  try {
    return await work();
  } finally {
    clearInterval(renewal);
    // When this fails, the lock is stale in a minute.
    await connection.command(`DROP TABLE IF EXISTS ${table} SYNC`).catch(() => {});
  }
}

async function tryLock(
  connection: ClickHouseConnection,
  table: string,
  owner: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    await connection.command(
      `CREATE TABLE ${table} (nothing UInt8) ENGINE = Memory COMMENT '${owner}'`,
      signal,
    );
    return true;
  } catch (error) {
    if (isTableThere(error)) {
      return false;
    }
    throw error;
  }
}

async function dropStale(
  connection: ClickHouseConnection,
  database: string,
  staleSeconds: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const sql =
    "SELECT count() AS stale FROM system.tables WHERE database = {database:String} AND name = 'schema_lock' " +
    `AND metadata_modification_time < now() - ${staleSeconds}`;
  const [row] = await connection.rows<{ stale: string | number }>(sql, { database }, { signal });
  if (Number(row?.stale) > 0) {
    await connection.command(`DROP TABLE IF EXISTS ${database}.schema_lock SYNC`);
  }
}
