import { adjustedCountsMigration } from "./adjusted-counts-migration.ts";
import { attributeHashMigration } from "./attribute-hash-migration.ts";
import { attributeTextColumns, attributeTextMigration } from "./attribute-text-migration.ts";
import { callDetailsMigration } from "./call-details-migration.ts";
import { codecsMigration } from "./codecs-migration.ts";
import { compactPartsMigration } from "./compact-parts-migration.ts";
import { derivedMigration } from "./derived-migration.ts";
import { eventTextMigration } from "./event-text-migration.ts";
import type { Migration } from "./migration.ts";
import { newDatabase } from "./new-database.ts";
import { newOperationsMigration } from "./new-operations-migration.ts";
import { repeatedSpansMigration } from "./repeated-spans-migration.ts";
import { samplingMigration } from "./sampling-migration.ts";
import { sentCountsMigration } from "./sent-counts-migration.ts";
import { spanDetailsMigration } from "./span-details-migration.ts";
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
  callDetailsMigration,
  attributeHashMigration,
  newOperationsMigration,
  spanDetailsMigration,
  codecsMigration,
  eventTextMigration,
  repeatedSpansMigration,
  adjustedCountsMigration,
  sentCountsMigration,
];

/** The version of the schema that this code reads and writes. */
export const schemaVersion = migrations.length;

/**
 * The steps that migrate a database to this version.
 * @param version version of the database; 0: it has no tables
 * @param isNew true when the database has no tables, and version 1's step has not started to create them
 */
export function stepsFrom(version: number, isNew: boolean): readonly Migration[] {
  if (isNew) {
    return [newDatabase, ...migrations.slice(newDatabase.version)];
  }
  return migrations
    .slice(version)
    .map((step) => (step === attributeTextMigration ? attributeTextColumns : step));
}

/**
 * SQL that says whether a database was begun step by step, by this version or an earlier version, and may be
 * unfinished. Only the first statement of the steps creates this column.
 * @param table name of the table of spans
 */
export function isBegunInSteps(table: string): string {
  return `(SELECT toUInt8(count()) FROM system.columns WHERE database = {database:String} AND table = '${table}' AND name = 'attributes')`;
}
