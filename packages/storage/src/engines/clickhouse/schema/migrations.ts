import type { Migration } from "./migration.ts";
import { spansMigration } from "./spans-migration.ts";

/** All steps, oldest first. */
export const migrations: readonly Migration[] = [spansMigration];

/** The version of the schema that this code reads and writes. */
export const schemaVersion = migrations.length;
