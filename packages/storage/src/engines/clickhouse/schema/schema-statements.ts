import { stepsFrom } from "./migrations.ts";

/**
 * The statements that `ensureSchema` runs on an empty server, for operators who read or run them. After an operator has
 * run them, `ensureSchema` changes nothing.
 * @param database a plain name: letters, digits and _
 */
export function schemaStatements(database: string): string[] {
  return [
    `CREATE DATABASE IF NOT EXISTS ${database}`,
    `CREATE TABLE IF NOT EXISTS ${database}.schema_migrations (version UInt32, name String, applied DateTime('UTC') DEFAULT now()) ENGINE = MergeTree ORDER BY version SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`,
    ...stepsFrom(0, true).flatMap((migration) => [
      ...migration.statements(database),
      `INSERT INTO ${database}.schema_migrations (version, name) SELECT ${migration.version}, '${migration.name}'`,
    ]),
  ];
}
