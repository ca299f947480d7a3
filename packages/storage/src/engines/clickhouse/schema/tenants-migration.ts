import type { Migration } from "./migration.ts";

/** Whose span it is. Spans from before have the tenant "", as where tenancy is off. */
export const tenantsMigration: Migration = {
  version: 2,
  name: "tenants",
  statements: (database) => [
    `ALTER TABLE ${database}.spans
  ADD COLUMN IF NOT EXISTS tenant LowCardinality(String) CODEC(ZSTD(1)) AFTER received`,
  ],
};
