import type { SpanColumn } from "../span-columns.ts";

/** Columns that all spans of a resource and scope share, and that have few values: each value is sent once. */
const dictionaryColumns = [
  "tenant",
  "service",
  "resource_text",
  "resource_schema_url",
  "scope_name",
  "scope_version",
  "scope_schema_url",
] as const satisfies readonly SpanColumn[];

export type DictionaryColumn = (typeof dictionaryColumns)[number];

export function isDictionary(name: SpanColumn): name is DictionaryColumn {
  return (dictionaryColumns as readonly SpanColumn[]).includes(name);
}
