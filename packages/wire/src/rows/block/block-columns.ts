import { type SpanColumn, spanColumns } from "../span-columns.ts";

/** Columns of a row that a block sends as one text: see `scope-text.ts` and `attribute-list.ts`. */
const columnsOfTexts = [
  "resource_schema_url",
  "scope_name",
  "scope_version",
  "scope_schema_url",
  "events",
] as const;

type PlainColumn = Exclude<SpanColumn, (typeof columnsOfTexts)[number]>;

/** Names of the possible columns of a block. */
export type BlockColumn = PlainColumn | "scope_text" | "event_text" | "adjusted_count";

/**
 * Column with the number of original spans that a span represents: `adjustedCount` of `wire/model`. It is sent even if
 * all numbers are 0, because the table would otherwise compute it.
 */
export const adjustedCountColumn = "adjusted_count";

/** The possible columns of a block, with their types. */
export const blockColumns: readonly { readonly name: BlockColumn; readonly type: string }[] = [
  ...spanColumns.filter(isPlain),
  { name: "scope_text", type: "LowCardinality(String)" },
  { name: "event_text", type: "String" },
  // This column is not in the row; it is computed from the row.
  { name: adjustedCountColumn, type: "Float64" },
];

function isPlain<T extends { readonly name: SpanColumn }>(
  column: T,
): column is T & { readonly name: PlainColumn } {
  return !(columnsOfTexts as readonly SpanColumn[]).includes(column.name);
}

/**
 * Columns that all spans of a resource and scope share. They have few different values, and each value is sent only
 * once.
 */
const dictionaryColumns = [
  "tenant",
  "service",
  "resource_text",
  "scope_text",
] as const satisfies readonly BlockColumn[];

export type DictionaryColumn = (typeof dictionaryColumns)[number];

export function isDictionary(name: string): name is DictionaryColumn {
  return (dictionaryColumns as readonly string[]).includes(name);
}
