import { type SpanColumn, spanColumns } from "wire/rows";

/** Columns whose rows are parsed into a plain-string column that is not stored; see the migration of `spans`. */
const parsedApart: ReadonlySet<SpanColumn> = new Set<SpanColumn>([
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

/** The columns of `spans` that give rows for `readSpanRows`. */
export const selectColumns: string = spanColumns.map(({ name }) => name).join(", ");

// These must stay, to the letter, what the indexes of `spans` are built on: otherwise the indexes are not used.
const hashedColumns = [
  "arrayMap(a -> cityHash64(a.1, a.3), attributes)",
  "arrayMap(a -> cityHash64(a.1, a.3), resource_attributes)",
  "arrayFlatten(arrayMap(e -> arrayMap(a -> cityHash64(a.1, a.3), e.3), events))",
];

/**
 * A condition: the span, its resource or one of its events has this attribute.
 * Hashes of 64 bits stand for key and text; a false match would take a collision.
 * @param key,value expressions for the two texts, such as query parameters
 */
export function hasAttribute(key: string, value: string): string[] {
  return hashedColumns.map((hashes) => `has(${hashes}, cityHash64(${key}, ${value}))`);
}
