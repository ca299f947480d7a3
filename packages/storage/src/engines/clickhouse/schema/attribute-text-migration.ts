import type { Migration } from "./migration.ts";

/** SQL that converts a list of tuples to text. `attribute-list.ts` of `wire/rows` describes the format. */
export function textOf(attributes: string): string {
  const text = `concat('\\xFF', a.1, '\\xFE', substring('esbidakx', CAST(a.2, 'Int8') + 1, 1), a.3)`;
  return `if(empty(${attributes}), '', concat(arrayStringConcat(arrayMap(a -> ${text}, ${attributes})), '\\xFF'))`;
}

const inBackground = "SETTINGS mutations_sync = 0, alter_sync = 0";

/** SQL for the indexed texts: key, FE, type and value of each attribute. */
function elementsOf(text: string): string {
  return `splitByChar('\\xFF', ${text})`;
}

const tables = ["spans", "archived_spans"];
const compressed = "CODEC(ZSTD(1))";

/**
 * Stores attributes of spans, and of resources, as one text each. Reasons and measurements:
 * docs/adr/028-attributes-as-text.md.
 *
 * New rows have texts and empty arrays. The texts of older rows are computed from their arrays by each read, until a
 * merge of their part stores the texts. Rows of older collectors get the texts on arrival. A new database has no
 * arrays: see new-database.ts.
 *
 * Indexes of existing parts are built in the background, by rewriting each part once. Before that, searches read these
 * parts without indexes.
 */
export const attributeTextMigration: Migration = {
  version: 6,
  name: "attributes as text",
  statements: (database) => {
    const statements = attributeTextColumns.statements(database);
    return [
      ...statements.slice(0, tables.length),
      `ALTER TABLE ${database}.spans
  ADD INDEX IF NOT EXISTS attribute_text_index ${elementsOf("attribute_text")} TYPE bloom_filter(0.01) GRANULARITY 1,
  ADD INDEX IF NOT EXISTS resource_text_index ${elementsOf("resource_text")} TYPE bloom_filter(0.01) GRANULARITY 1`,
      ...statements.slice(tables.length),
      `ALTER TABLE ${database}.spans
  MATERIALIZE INDEX attribute_text_index, MATERIALIZE INDEX resource_text_index ${inBackground}`,
    ];
  },
};

/**
 * The same step without the indexes that version 8 drops, for a database that continues to version 8. Each index would
 * rewrite every part, and ClickHouse cannot drop an index while it is being built.
 */
export const attributeTextColumns: Migration = {
  version: 6,
  name: "attributes as text",
  statements: (database) => [
    ...tables.map(
      (table) => `ALTER TABLE ${database}.${table}
  ADD COLUMN IF NOT EXISTS in_resource_text String EPHEMERAL,
  ADD COLUMN IF NOT EXISTS resource_text LowCardinality(String) DEFAULT if(in_resource_text = '', ${textOf("resource_attributes")}, in_resource_text) ${compressed},
  ADD COLUMN IF NOT EXISTS attribute_text String DEFAULT ${textOf("attributes")} ${compressed}`,
    ),
    ...tables.map(
      (table) => `ALTER TABLE ${database}.${table}
  DROP INDEX IF EXISTS attributes_index, DROP INDEX IF EXISTS resource_attributes_index ${inBackground}`,
    ),
  ],
};
