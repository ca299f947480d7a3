import type { Migration } from "./migration.ts";

/**
 * SQL for a list of attributes: the hash of key, FE, type and value of each. `attribute-list.ts` of `wire/rows`
 * describes the list.
 */
export function hashesOf(text: string): string {
  return `arrayMap(e -> cityHash64(e), splitByChar('\\xFF', ${text}))`;
}

/** SQL for the keys of array attributes in a list. Most lists have no arrays, and for them no further data is read. */
function arrayKeysOf(text: string): string {
  const key = "substring(e, 1, position(e, '\\xFEa') - 1)";
  const arrays = `arrayFilter(e -> position(e, '\\xFEa') > 0, splitByChar('\\xFF', ${text}))`;
  return `if(position(${text}, '\\xFEa') = 0, emptyArrayString(), arrayMap(e -> ${key}, ${arrays}))`;
}

/** Names and expressions of the indexes; all are bloom filters. */
export const hashIndexes = [
  ["attribute_hash_index", hashesOf("attribute_text")],
  ["resource_hash_index", hashesOf("resource_text")],
  ["attribute_array_index", arrayKeysOf("attribute_text")],
  ["resource_array_index", arrayKeysOf("resource_text")],
] as const;

/** Indexes of span tables that merges build; inserts do not. */
export const indexesLeftToMerges = [...hashIndexes.map(([name]) => name), "event_hash_index"] as const;

/**
 * Indexes attributes by their hashes, no longer by their texts. ClickHouse sorts the data of an index in the order of
 * the table, and would move a list of texts element by element. The keys of array attributes are indexed too, because
 * TraceQL's `=` also matches elements. For other attributes, the index of hashes is enough. Figures:
 * docs/adr/032-what-an-insert-costs.md.
 *
 * Indexes of existing parts are built in the background, by rewriting each part once. Before that, searches read these
 * parts without indexes. The indexes of version 6 may still be under construction. That must be stopped before the
 * indexes are dropped.
 */
export const attributeHashMigration: Migration = {
  version: 8,
  name: "attributes indexed by hash",
  statements: (database) => {
    const inBackground = "SETTINGS mutations_sync = 0, alter_sync = 0";
    const added = hashIndexes.map(
      ([name, expression]) =>
        `ADD INDEX IF NOT EXISTS ${name} ${expression} TYPE bloom_filter(0.01) GRANULARITY 1`,
    );
    const made = hashIndexes.map(([name]) => `MATERIALIZE INDEX ${name}`);
    return [
      `ALTER TABLE ${database}.spans\n  ${added.join(",\n  ")}`,
      `KILL MUTATION WHERE database = '${database}' AND table IN ('spans', 'spans_local') AND NOT is_done AND command LIKE '%MATERIALIZE INDEX %_text_index%'`,
      `ALTER TABLE ${database}.spans
  DROP INDEX IF EXISTS attribute_text_index, DROP INDEX IF EXISTS resource_text_index ${inBackground}`,
      `ALTER TABLE ${database}.spans\n  ${made.join(", ")} ${inBackground}`,
    ];
  },
};
