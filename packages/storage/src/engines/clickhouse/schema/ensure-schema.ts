import { StorageError } from "../../../api/storage-error.ts";
import type { ClickHouseConnection } from "../clickhouse-connection.ts";
import { isSchemaMissing } from "../clickhouse-errors.ts";
import { changeViews } from "./change-views.ts";
import { targetsOfViews, viewChangeOf } from "./final-views.ts";
import { isBegunInSteps, migrations, schemaVersion, stepsFrom } from "./migrations.ts";
import { withSchemaLock } from "./schema-lock.ts";
import { attachSources, sourcesOfViews } from "./without-inserts.ts";

/**
 * Schema versions of clusters start at this number, so that programs that know only single servers do not change such a
 * database.
 */
export const clusterVersionOffset = 1_000_000;

/**
 * Seconds after which a process takes over the lock of another process that has ended. The lock is renewed every ten
 * seconds.
 */
const staleSeconds = 30;

/** Milliseconds until a statement fails. Some statements copy stored rows into a new table. */
const statementTimeoutMs = 3_600_000;

/**
 * Migrates the schema to this version; this costs one query when the schema is current. Only one process migrates at a
 * time. Repeating a statement is harmless, and the version of a step is stored only after its statements. So the next
 * process can continue after a process that stopped in the middle.
 * @throws StorageError STORAGE_VERSION when the data has a newer version; then nothing is changed
 */
export async function ensureSchema(
  connection: ClickHouseConnection,
  database: string,
  signal?: AbortSignal,
): Promise<void> {
  if ((await knownVersion(connection, database, signal)) === schemaVersion) {
    return;
  }
  // All statements go to one server, because the lock and the detached tables exist only there.
  const server = connection.steady();
  await server.command(`CREATE DATABASE IF NOT EXISTS ${database}`, signal);
  await withSchemaLock(server, database, () => migrate(server, database, signal), { signal, staleSeconds });
}

/** @throws StorageError for a version that this program cannot use */
async function knownVersion(
  connection: ClickHouseConnection,
  database: string,
  signal: AbortSignal | undefined,
): Promise<number> {
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
  return version;
}

async function migrate(
  connection: ClickHouseConnection,
  database: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  // Another process may have migrated in between, or may have ended during its migration.
  const version = await knownVersion(connection, database, signal);
  if (version === schemaVersion) {
    return;
  }
  await attachSources(connection, database, sourcesOfViews);
  await connection.command(
    `CREATE TABLE IF NOT EXISTS ${database}.schema_migrations ` +
      "(version UInt32, name String, applied DateTime('UTC') DEFAULT now()) " +
      "ENGINE = MergeTree ORDER BY version SETTINGS fsync_after_insert = 1, fsync_part_directory = 1",
    signal,
  );
  const isNew = version === 0 && !(await isBegun(connection, database, signal));
  for (const migration of stepsFrom(version, isNew)) {
    try {
      await runStatements(connection, database, migration.statements(database), signal);
    } catch (error) {
      // A process of an older version, which does not use the lock, may already have migrated further.
      if ((await readVersion(connection, database, signal)) < migration.version) {
        throw error;
      }
      continue;
    }
    // Two processes may both insert the version, so the version is the highest number, not the count of rows.
    await connection.command(
      `INSERT INTO ${database}.schema_migrations (version, name) SELECT ${migration.version}, '${migration.name}'`,
      signal,
    );
  }
}

/** Runs the statements of a step; views are changed last. */
async function runStatements(
  connection: ClickHouseConnection,
  database: string,
  statements: readonly string[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const run = (statement: string) => connection.longCommand(statement, statementTimeoutMs, signal);
  const changes = statements.flatMap((statement) => viewChangeOf(statement) ?? []);
  const ofViews = statements.filter((statement) => viewChangeOf(statement) !== undefined);
  for (const statement of statements.filter((one) => !ofViews.includes(one))) {
    await run(statement);
  }
  if (changes.length === 0) {
    return;
  }
  const targets = targetsOfViews(migrations.flatMap((step) => step.statements(database)));
  const changesWithTargets = changes.map((change) => {
    const target = targets.get(change.view);
    if (target === undefined) {
      throw new Error(`no step makes the view ${change.view} that is to be changed`);
    }
    return { ...change, target };
  });
  if (!(await changeViews(connection, database, changesWithTargets, signal))) {
    for (const statement of ofViews) {
      await run(statement);
    }
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

/** @returns the version of the tables; 0 when there are no tables */
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
