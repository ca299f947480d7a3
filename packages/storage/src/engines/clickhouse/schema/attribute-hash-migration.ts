import type { Migration } from "./migration.ts";

/** Of a list of attributes, each as the hash of key, FE, type and value; `attribute-list.ts` of `wire/rows` says what a list is. */
export function hashesOf(text: string): string {
  return `arrayMap(e -> cityHash64(e), splitByChar('\\xFF', ${text}))`;
}

/** The keys of those attributes of a list that are arrays. Most lists have none, which is all that is looked at then. */
function arrayKeysOf(text: string): string {
  const key = "substring(e, 1, position(e, '\\xFEa') - 1)";
  const arrays = `arrayFilter(e -> position(e, '\\xFEa') > 0, splitByChar('\\xFF', ${text}))`;
  return `if(position(${text}, '\\xFEa') = 0, emptyArrayString(), arrayMap(e -> ${key}, ${arrays}))`;
}

/** Names, and what they are of; all are bloom filters. */
export const hashIndexes = [
  ["attribute_hash_index", hashesOf("attribute_text")],
  ["resource_hash_index", hashesOf("resource_text")],
  ["attribute_array_index", arrayKeysOf("attribute_text")],
  ["resource_array_index", arrayKeysOf("resource_text")],
] as const;

/** Those of the tables of spans that are not made when rows are written, but when parts are merged. */
export const indexesLeftToMerges = [...hashIndexes.map(([name]) => name), "event_hash_index"] as const;

/**
 * Attributes are indexed by their hashes rather than as texts: what an index is made of is put in the order of the table, and a
 * list of texts is moved text by text. And the keys of arrays are indexed, as TraceQL's `=` also matches elements of arrays:
 * elsewhere the index of hashes decides. Figures: docs/adr/032-what-an-insert-costs.md.
 *
 * Indexes of parts that are there are made in the background, all with one rewriting of the part; until then these parts are
 * searched without. Those of version 6 may still be in the making, and are not taken away before that is stopped.
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
