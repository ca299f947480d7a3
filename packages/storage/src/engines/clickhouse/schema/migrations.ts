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
];

/** The version of the schema that this code reads and writes. */
export const schemaVersion = migrations.length;
