import { adjustedCountSql } from "../adjusted-count-sql.ts";
import { selectCalls, selectMetrics } from "./adjusted-counts-migration.ts";
import type { Migration } from "./migration.ts";

/**
 * Column of `spans` with the number of original spans that a span represents. Collectors send it; for rows of older
 * collectors the store computes it.
 */
export const sentCountColumn = `adjusted_count Float64 DEFAULT ${adjustedCountSql} CODEC(LZ4)`;
/** The same column for `archived_spans`, where no query reads it, so that it is not stored. */
export const unusedCountColumn = "adjusted_count Float64 EPHEMERAL";

/** The view changes that make views read the column. */
export function viewsOfSentCounts(database: string): string[] {
  return [
    `ALTER TABLE ${database}.span_metrics_view MODIFY QUERY
${selectMetrics(database, "adjusted_count")}`,
    `ALTER TABLE ${database}.dependency_calls_view MODIFY QUERY
${selectCalls(database, "adjusted_count")}`,
  ];
}

/**
 * Collectors send the number of original spans that a span represents. Before this version, views computed the number,
 * and ClickHouse planned the expression again for each insert. Measurements:
 * docs/adr/057-true-counts-under-sampling.md.
 */
export const sentCountsMigration: Migration = {
  version: 15,
  name: "adjusted counts that are sent",
  statements: (database) => [
    `ALTER TABLE ${database}.spans ADD COLUMN IF NOT EXISTS ${sentCountColumn}`,
    `ALTER TABLE ${database}.archived_spans ADD COLUMN IF NOT EXISTS ${unusedCountColumn}`,
    ...viewsOfSentCounts(database),
  ],
};
