import type { Migration } from "./migration.ts";

/**
 * Codecs by columns of `spans` and `archived_spans`. ZSTD stays for data that it compresses well: texts of attributes,
 * events and details, and trace ids, which repeat. T64 keeps only the bits in which the starts of a minute differ,
 * which ZSTD cannot compress further.
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

/** Codec of the arrival time, a column that only `spans` has. */
export const arrivedCodec = "T64, LZ4";

const changes = Object.entries(codecs)
  .map(([column, codec]) => `MODIFY COLUMN ${column} CODEC(${codec})`)
  .join(", ");

/**
 * Changes codecs: for small or random columns, ZSTD costs more time than its savings are worth, because each granule of
 * each column is compressed separately. Existing parts stay unchanged until they are merged. Measurements:
 * docs/adr/038-codecs.md.
 */
export const codecsMigration: Migration = {
  version: 11,
  name: "codecs",
  statements: (database) => [
    `ALTER TABLE ${database}.spans MODIFY COLUMN arrived CODEC(${arrivedCodec}), ${changes}`,
    `ALTER TABLE ${database}.archived_spans ${changes}`,
  ],
};
