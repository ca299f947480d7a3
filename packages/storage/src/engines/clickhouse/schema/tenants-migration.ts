import type { Migration } from "./migration.ts";

/**
 * Adds the tenant to spans and operations. Older data has the tenant "", as when tenancy is off.
 *
 * The migration extends the key of `operations` at its end. This changes no data, and may run twice. A new table would
 * need a copy of the old table, which another process may drop at that moment.
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
