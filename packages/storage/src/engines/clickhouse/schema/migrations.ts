import { attributeTextMigration } from "./attribute-text-migration.ts";
import { compactPartsMigration } from "./compact-parts-migration.ts";
import { derivedMigration } from "./derived-migration.ts";
import type { Migration } from "./migration.ts";
import { samplingMigration } from "./sampling-migration.ts";
import { spansMigration } from "./spans-migration.ts";
import { tenantsMigration } from "./tenants-migration.ts";

/** All steps, oldest first. */
export const migrations: readonly Migration[] = [
  spansMigration,
  tenantsMigration,
  samplingMigration,
  derivedMigration,
  compactPartsMigration,
  attributeTextMigration,
];

/** The version of the schema that this code reads and writes. */
export const schemaVersion = migrations.length;

/** All statements of a step. @param isNew whether the database was not there before the first step */
export function statementsOf(migration: Migration, database: string, isNew: boolean): readonly string[] {
  const always = migration.statements(database, isNew);
  return isNew ? [...always, ...(migration.whenNew?.(database) ?? [])] : always;
}
