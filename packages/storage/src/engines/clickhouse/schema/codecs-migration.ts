import type { Migration } from "./migration.ts";

/**
 * By columns of `spans` and `archived_spans`. ZSTD stays where it finds something: texts of attributes, events, details, and trace
 * ids, which repeat. Of a minute's starts T64 leaves the bits that differ, and nothing is in these to be found.
 */
export const codecs = {
  tenant: "LZ4",
  service: "LZ4",
  resource_text: "LZ4",
  resource_schema_url: "LZ4",
  scope_name: "LZ4",
  scope_version: "LZ4",
  scope_schema_url: "LZ4",
  parent_span_id: "LZ4",
  trace_state: "LZ4",
  flags: "LZ4",
  name: "LZ4",
  kind: "LZ4",
  start: "T64",
  duration: "T64, LZ4",
  status: "LZ4",
  status_message: "LZ4",
} as const;

/** When a span came, which only `spans` has. */
export const arrivedCodec = "T64, LZ4";

const changes = Object.entries(codecs)
  .map(([column, codec]) => `MODIFY COLUMN ${column} CODEC(${codec})`)
  .join(", ");

/**
 * Columns that are small, or random, cost ZSTD more time than they save room: each granule of each is compressed by itself. Parts that are
 * there stay as they are until they are merged. Figures: docs/adr/038-codecs.md.
 */
export const codecsMigration: Migration = {
  version: 11,
  name: "codecs",
  statements: (database) => [
    `ALTER TABLE ${database}.spans MODIFY COLUMN arrived CODEC(${arrivedCodec}), ${changes}`,
    `ALTER TABLE ${database}.archived_spans ${changes}`,
  ],
};
