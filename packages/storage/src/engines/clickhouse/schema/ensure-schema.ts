import { StorageError } from "../../../api/storage-error.ts";
import type { ClickHouseConnection } from "../clickhouse-connection.ts";
import { isSchemaMissing } from "../clickhouse-errors.ts";
import { isBegunInSteps, schemaVersion, stepsFrom } from "./migrations.ts";

/**
 * Versions of clusters begin here, so that programs that know only single servers leave such a database
 * alone.
 */
export const clusterVersionOffset = 1_000_000;

/** Limit for each statement in milliseconds; some copy stored rows into a new table. */
const statementTimeoutMs = 3_600_000;

/**
 * Brings the schema to this version; costs one query when it is current.
 *
 * Several processes may do this at the same time. Each statement is harmless when repeated, and the version
 * is stored only after its statements. So a process that stops half-way leaves work for the next, and no gap.
 *
 * @throws StorageError STORAGE_VERSION when the data has a newer version; then nothing is changed
 */
export async function ensureSchema(
  connection: ClickHouseConnection,
  database: string,
  signal?: AbortSignal,
): Promise<void> {
  const version = await readVersion(connection, database, signal);
  if (version >= clusterVersionOffset) {
    throw new StorageError(
      "STORAGE_REFUSED",
      `database ${database} is laid out for a cluster: name it with --clickhouse.cluster, or use another database`,
    );
  }
  if (version > schemaVersion) {
    throw new StorageError(
      "STORAGE_VERSION",
      `the schema of database ${database} has version ${version}, this program knows versions up to ` +
        `${schemaVersion}: use a newer program, or another database`,
    );
  }
  if (version === schemaVersion) {
    return;
  }
  await connection.command(`CREATE DATABASE IF NOT EXISTS ${database}`, signal);
  await connection.command(
    `CREATE TABLE IF NOT EXISTS ${database}.schema_migrations ` +
      "(version UInt32, name String, applied DateTime('UTC') DEFAULT now()) " +
      "ENGINE = MergeTree ORDER BY version SETTINGS fsync_after_insert = 1, fsync_part_directory = 1",
    signal,
  );
  const isNew = version === 0 && !(await isBegun(connection, database, signal));
  for (const migration of stepsFrom(version, isNew)) {
    try {
      for (const statement of migration.statements(database)) {
        await connection.longCommand(statement, statementTimeoutMs, signal);
      }
    } catch (error) {
      // Another process may be further, and may have removed what this step needs.
      if ((await readVersion(connection, database, signal)) < migration.version) {
        throw error;
      }
      continue;
    }
    // Two processes may both note it: the version is the highest, not the number of rows.
    await connection.command(
      `INSERT INTO ${database}.schema_migrations (version, name) SELECT ${migration.version}, '${migration.name}'`,
      signal,
    );
  }
}

async function isBegun(
  connection: ClickHouseConnection,
  database: string,
  signal?: AbortSignal,
): Promise<boolean> {
  const sql = `SELECT ${isBegunInSteps("spans")} AS begun`;
  const [row] = await connection.rows<{ begun: number }>(sql, { database }, { signal });
  return row?.begun === 1;
}

/** @returns 0 without tables */
export async function readVersion(
  connection: ClickHouseConnection,
  database: string,
  signal?: AbortSignal,
): Promise<number> {
  try {
    const sql = `SELECT max(version) AS version FROM ${database}.schema_migrations`;
    const [row] = await connection.rows<{ version: number }>(sql, {}, { signal });
    return row?.version ?? 0;
  } catch (error) {
    if (isSchemaMissing(error)) {
      return 0;
    }
    throw error;
  }
}
