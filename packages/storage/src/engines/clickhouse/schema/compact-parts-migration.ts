import type { Migration } from "./migration.ts";

/**
 * Parts of up to 2 GiB before compression, about three million spans, store all columns in one file. Reading a trace
 * then opens one file instead of ninety, and decompresses only the granules that it needs. Merges up to this size cost
 * the same as before; larger merges would cost 1.5 times as much. Existing parts stay unchanged until they are merged.
 * Measurements: docs/adr/016-where-searches-spend-their-time.md.
 */
export const compactPartsMigration: Migration = {
  version: 5,
  name: "compact parts",
  statements: (database) =>
    ["spans", "archived_spans"].map(
      (table) => `ALTER TABLE ${database}.${table} MODIFY SETTING min_bytes_for_wide_part = 2147483648`,
    ),
};
