import type { Migration } from "./migration.ts";

/**
 * Most rows of known operations that are read. Further operations are written with each block, which does no
 * harm.
 */
const maxKnown = 10_000;

/**
 * Operations are written only when they are unknown, or known of earlier days only. A block mostly has no
 * such operation, and then no part is written, and later merged with nine others. Figures:
 * docs/adr/032-what-an-insert-costs.md.
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
