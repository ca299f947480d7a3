import type { Migration } from "./migration.ts";

/**
 * Whose span it is, and who has seen an operation. What is there from before has the tenant "", as where tenancy is off.
 *
 * The key of `operations` grows at its end, which touches no data and may be said twice; a new table would have to be
 * filled from the old one, which another process may drop at that moment.
 */
export const tenantsMigration: Migration = {
  version: 2,
  name: "tenants",
  statements: (database) => [
    `ALTER TABLE ${database}.spans
  ADD COLUMN IF NOT EXISTS in_tenant String EPHEMERAL,
  ADD COLUMN IF NOT EXISTS tenant LowCardinality(String) DEFAULT in_tenant CODEC(ZSTD(1)) AFTER received`,
    `ALTER TABLE ${database}.operations
  ADD COLUMN IF NOT EXISTS tenant LowCardinality(String),
  MODIFY ORDER BY (service, name, kind, tenant)`,
    `ALTER TABLE ${database}.operations_view MODIFY QUERY
SELECT tenant, service, name, kind, max(received) AS last_received FROM ${database}.spans
GROUP BY tenant, service, name, kind`,
  ],
};
