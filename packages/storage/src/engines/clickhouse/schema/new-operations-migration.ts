import type { Migration } from "./migration.ts";

/**
 * Maximum number of known operations that a statement reads. If there are more, each block writes its operations again,
 * which is harmless.
 */
const maxKnown = 10_000;

/**
 * Writes operations only when they are unknown, or known only from earlier days. Most blocks have no such operation.
 * For such a block, no part is written and later merged. Measurements: docs/adr/032-what-an-insert-costs.md.
 */
export const newOperationsMigration: Migration = {
  version: 9,
  name: "operations that are new",
  statements: (database) => [
    `ALTER TABLE ${database}.operations_of_metrics_view MODIFY QUERY
SELECT tenant, service, name, kind, max(received) AS last_received FROM ${database}.span_metrics
WHERE (tenant, service, name, kind, received) NOT IN (SELECT tenant, service, name, kind, last_received FROM ${database}.operations LIMIT ${maxKnown})
GROUP BY tenant, service, name, kind`,
  ],
};
