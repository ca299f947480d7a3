import type { Migration } from "./migration.ts";

/**
 * Parts of up to 2 GiB before compression, some three million spans, keep all columns in one file: whoever reads a trace
 * opens one file in place of ninety, and unpacks no more than the granules sought. Merging up to this size costs what it
 * did; larger merges would cost half as much again. Parts that are there are left as they are until they are merged.
 * Figures: docs/adr/016-where-searches-spend-their-time.md.
 */
export const compactPartsMigration: Migration = {
  version: 5,
  name: "compact parts",
  statements: (database) =>
    ["spans", "archived_spans"].map(
      (table) => `ALTER TABLE ${database}.${table} MODIFY SETTING min_bytes_for_wide_part = 2147483648`,
    ),
};
