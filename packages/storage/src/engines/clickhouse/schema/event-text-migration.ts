import { hashesOf } from "./attribute-hash-migration.ts";
import { textOf } from "./attribute-text-migration.ts";
import type { Migration } from "./migration.ts";
import { plainAttributes } from "./spans-migration.ts";

/** Type of the events column that writers fill. */
export const eventsType = `Array(Tuple(time DateTime64(9, 'UTC'), name String, attributes ${plainAttributes}, dropped_attributes UInt32))`;

/** SQL for the text of the event tuple `e`; `attribute-list.ts` of `wire/rows` describes it. */
const eventText =
  `concat('\\xFD', toString(toUnixTimestamp64Nano(e.1)), '\\xFC', e.2, ${textOf("e.3")}, ` +
  "if(e.4 = 0, '', concat('\\xFC', toString(e.4))))";

/** Column with all events of a span as one text. */
export const eventTextColumn = `event_text String DEFAULT arrayStringConcat(arrayMap(e -> ${eventText}, events)) CODEC(ZSTD(1))`;

/** Index of event attributes. It is built like the index of span attributes, but does not index arrays. */
export const eventIndex = ["event_hash_index", hashesOf("event_text")] as const;

const scopeTexts = ["scope_name", "scope_version", "scope_schema_url", "resource_schema_url"];

/**
 * Column with the scope's name, version and schema URL, and the resource's schema URL; `scope-text.ts` of `wire/rows`
 * describes it.
 */
export const scopeTextColumn = `scope_text LowCardinality(String) DEFAULT concat(${scopeTexts.join(", '\\xFF', ")}) CODEC(LZ4)`;

/**
 * Stores events as one text instead of eight streams, and scope and schema URLs as one text instead of four
 * dictionaries. Reasons and measurements: docs/adr/041-events-and-scopes-as-texts.md.
 *
 * New rows contain the texts; rows of older collectors get the texts on arrival. Existing parts get the texts in the
 * background, by rewriting each part once. Before that, reads compute the texts, and searches read event attributes
 * without an index. The old columns stay, and are empty in new rows. A new database has no such columns: see
 * new-database.ts.
 */
export const eventTextMigration: Migration = {
  version: 12,
  name: "events and scopes as texts",
  statements: (database) => {
    const inBackground = "SETTINGS mutations_sync = 0, alter_sync = 0";
    const made = "MATERIALIZE COLUMN scope_text, MATERIALIZE COLUMN event_text";
    return [
      ...["spans", "archived_spans"].map(
        (table) => `ALTER TABLE ${database}.${table}
  ADD COLUMN IF NOT EXISTS ${scopeTextColumn},
  ADD COLUMN IF NOT EXISTS ${eventTextColumn}`,
      ),
      `ALTER TABLE ${database}.spans ADD INDEX IF NOT EXISTS ${eventIndex.join(" ")} TYPE bloom_filter(0.01) GRANULARITY 1`,
      `ALTER TABLE ${database}.spans ${made}, MATERIALIZE INDEX event_hash_index ${inBackground}`,
      `ALTER TABLE ${database}.archived_spans ${made} ${inBackground}`,
      `ALTER TABLE ${database}.spans DROP INDEX IF EXISTS events_index ${inBackground}`,
      `ALTER TABLE ${database}.archived_spans DROP INDEX IF EXISTS events_index ${inBackground}`,
    ];
  },
};
