import type { Migration } from "./migration.ts";
import { plainAttributes } from "./spans-migration.ts";

/** The rare fields in the order of a row, with names and types of the columns that writers send. */
export const detailColumns = {
  resource_dropped_attributes: "UInt32",
  scope_attributes: plainAttributes,
  scope_dropped_attributes: "UInt32",
  dropped_attributes: "UInt32",
  dropped_events: "UInt32",
  links: `Array(Tuple(trace_id FixedString(16), span_id FixedString(8), trace_state String, attributes ${plainAttributes}, dropped_attributes UInt32, flags UInt32, ref_type Enum8('none' = 0, 'child_of' = 1, 'follows_from' = 2)))`,
  dropped_links: "UInt32",
  warnings: "Array(String)",
} as const;

export type DetailColumn = keyof typeof detailColumns;

const nothing = (name: string, type: string) => (type === "UInt32" ? `${name} = 0` : `empty(${name})`);
const nothingButLinks = Object.entries(detailColumns)
  .filter(([name]) => name !== "links")
  .map(([name, type]) => nothing(name, type))
  .join(" AND ");
const all = `toString(tuple(${Object.keys(detailColumns).join(", ")}))`;

/** Text for the single link that the older span model uses for a parent. */
export const onlyParent = "parent";

const isOnlyParent =
  "length(links) = 1 AND arrayExists(l -> l.1 = trace_id AND l.2 = parent_span_id AND l.3 = '' AND empty(l.4) " +
  "AND l.5 = 0 AND l.6 = 0 AND l.7 = 'child_of', links)";

/**
 * Column for rare fields. It is empty, a mark when the only link is the parent, or ClickHouse's text of a tuple of all
 * rare fields.
 */
export const spanDetails = `span_details String DEFAULT if(${nothingButLinks}, if(empty(links), '', if(${isOnlyParent}, '${onlyParent}', ${all})), ${all}) CODEC(ZSTD(1))`;

/**
 * Stores the rare fields as one text. Each column makes every merge slower; arrays cost most, even when they are empty.
 * Reasons and measurements: docs/adr/037-what-few-spans-have.md.
 *
 * Rows arrive as before, and the text is computed from their columns. Existing parts get the column in the background,
 * by rewriting each part once. Before that, reads compute the text, which makes a search of whole traces a third
 * slower. The old columns stay and are still filled. A new database has no such columns: see new-database.ts.
 */
export const spanDetailsMigration: Migration = {
  version: 10,
  name: "what few spans have as one text",
  statements: (database) =>
    ["spans", "archived_spans"].flatMap((table) => [
      `ALTER TABLE ${database}.${table} ADD COLUMN IF NOT EXISTS ${spanDetails}`,
      `ALTER TABLE ${database}.${table} MATERIALIZE COLUMN span_details SETTINGS mutations_sync = 0, alter_sync = 0`,
    ]),
};
