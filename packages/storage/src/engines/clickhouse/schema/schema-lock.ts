import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { StorageError } from "../../../api/storage-error.ts";
import type { ClickHouseConnection } from "../clickhouse-connection.ts";
import { isTableThere } from "../clickhouse-errors.ts";

const renewEveryMs = 10_000;
const lookEveryMs = 200;

/**
 * Owners of locks that this process may have left, because their server went away. Nobody works under them any
 * more, so they need no time to become stale.
 */
const leftOwners = new Set<string>();
/** Most owners that are remembered; the newest count. A server may refuse locks for hours. */
const maxLeftOwners = 100;

function remember(owner: string): void {
  leftOwners.add(owner);
  const [oldest] = leftOwners;
  if (leftOwners.size > maxLeftOwners && oldest !== undefined) {
    leftOwners.delete(oldest);
  }
}

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
 * that was not renewed for a minute is taken over, and one that this process left when its server went away at once.
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
    await dropDead(connection, database, staleSeconds, signal);
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
    await connection.command(`DROP TABLE IF EXISTS ${table} SYNC`).catch(() => remember(owner));
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
    // A server that went away may have made the table.
    remember(owner);
    throw error;
  }
}

/** Drops a lock whose owner has ended. */
async function dropDead(
  connection: ClickHouseConnection,
  database: string,
  staleSeconds: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const sql =
    `SELECT comment, metadata_modification_time < now() - ${staleSeconds} AS isStale FROM system.tables ` +
    "WHERE database = {database:String} AND name = 'schema_lock'";
  const [lock] = await connection.rows<{ comment: string; isStale: number }>(sql, { database }, { signal });
  if (lock === undefined) {
    return;
  }
  const [owner = ""] = lock.comment.split(" ");
  // One of several callers in this process drops it: the others would meet the lock of the next owner.
  const isLeft = leftOwners.delete(owner);
  if (!isLeft && lock.isStale === 0) {
    return;
  }
  try {
    await connection.command(`DROP TABLE IF EXISTS ${database}.schema_lock SYNC`);
  } catch (error) {
    remember(owner);
    throw error;
  }
}
