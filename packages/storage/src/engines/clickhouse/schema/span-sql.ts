import { type SpanColumn, spanColumns } from "wire/rows";

/** Columns whose rows are parsed into a plain-string column that is not stored; see the migration of `spans`. */
const parsedApart: ReadonlySet<SpanColumn> = new Set<SpanColumn>([
  "tenant",
  "service",
  "resource_attributes",
  "scope_name",
  "scope_version",
  "name",
  "attributes",
]);

/** The columns of `spans` that take the bytes of `SpanRows`, in their order. */
export const insertColumns: string = spanColumns
  .map(({ name }) => (parsedApart.has(name) ? `in_${name}` : name))
  .join(", ");

const selectColumns = spanColumns.map(({ name }) => name).join(", ");

/**
 * Gives rows for `readSpanRows`: the spans that the parameter `tenant` has in the traces of which `ids` has the ids in
 * hex.
 */
export function spansOfTraces(database: string): string {
  return (
    `SELECT ${selectColumns} FROM ${database}.spans ` +
    // Of itself, ClickHouse would look at the tenants of all rows first.
    "PREWHERE trace_id IN (SELECT toFixedString(unhex(arrayJoin({ids:Array(String)})), 16)) " +
    "WHERE tenant = {tenant:String} FORMAT RowBinary"
  );
}

// These must stay, to the letter, what the indexes of `spans` are built on: otherwise the indexes are not used.
const indexedHashes = [
  "arrayMap(a -> cityHash64(a.1, a.3), attributes)",
  "arrayMap(a -> cityHash64(a.1, a.3), resource_attributes)",
  "arrayFlatten(arrayMap(e -> arrayMap(a -> cityHash64(a.1, a.3), e.3), events))",
];

/**
 * Conditions that together say: the span, its resource or one of its events has this attribute.
 *
 * The first drops granules by the indexes, and costs nothing for the rows of those that stay; the second is exact.
 * @param key,value expressions for the two texts, such as query parameters
 */
export function hasAttribute(key: string, value: string): string[] {
  const hash = `cityHash64(${key}, ${value})`;
  const isSought = (k: string, v: string) => `${k} = ${key} AND ${v} = ${value}`;
  return [
    `indexHint(${indexedHashes.map((hashes) => `has(${hashes}, ${hash})`).join(" OR ")})`,
    `(arrayExists((k, v) -> ${isSought("k", "v")}, attributes.key, attributes.value)` +
      ` OR arrayExists((k, v) -> ${isSought("k", "v")}, resource_attributes.key, resource_attributes.value)` +
      ` OR arrayExists(e -> arrayExists(a -> ${isSought("a.1", "a.3")}, e.3), events))`,
  ];
}
