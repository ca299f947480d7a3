import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { StorageError } from "../../../api/storage-error.ts";
import type { ClickHouseConnection } from "../clickhouse-connection.ts";
import { isTableThere } from "../clickhouse-errors.ts";

const renewEveryMs = 10_000;
const lookEveryMs = 200;

/**
 * Owners of locks that this process may have left behind when its server became unreachable. No work runs under these
 * locks any more, so they are dropped before they are stale.
 */
const leftOwners = new Set<string>();
/** Maximum number of owners that are remembered. A server may refuse locks for hours. */
const maxLeftOwners = 100;

function remember(owner: string): void {
  leftOwners.add(owner);
  const [oldest] = leftOwners;
  if (leftOwners.size > maxLeftOwners && oldest !== undefined) {
    leftOwners.delete(oldest);
  }
}

/** How long a caller waits for a lock. */
interface LockOptions {
  /** Stops the wait for the lock. */
  readonly signal?: AbortSignal | undefined;
  /** Age of a lock in seconds after which its owner counts as dead; it is far longer than `renewEveryMs`. */
  readonly staleSeconds?: number | undefined;
}

/**
 * Runs `work` while no other process runs such work on this database of this server. The lock is a table, because only
 * one of several processes can create it. Its comment contains the owner and a time, which the owner renews while the
 * work runs. A lock that was not renewed for `staleSeconds` is taken over. A lock that this process left behind is
 * dropped immediately.
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
    // A lock that cannot be renewed becomes stale, but running the work twice is harmless.
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
    // The server may have created the table before it became unreachable.
    remember(owner);
    throw error;
  }
}

/** Drops the lock of an owner that has ended. */
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
  // Only one of several callers in this process drops the table: a second caller might drop the lock of the next owner.
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
