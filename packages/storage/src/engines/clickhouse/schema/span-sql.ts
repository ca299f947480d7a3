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

/** What `readSpanRows` reads. */
export const selectColumns: string = spanColumns.map(({ name }) => name).join(", ");

/**
 * Of a row of `operations`: not all its spans are on days that were dropped. The oldest day is known without reading rows;
 * where there are no spans, it is the last one that the type has.
 */
export function hasSpans(database: string): string {
  return `last_received >= (SELECT if(count() = 0, toDate('2149-06-06'), min(received)) FROM ${database}.spans)`;
}

/** The ids of the parameter `ids`, which it has in hex. */
export const idsAsBytes = "(SELECT toFixedString(unhex(arrayJoin({ids:Array(String)})), 16))";

/**
 * Settings of a statement that reads few granules: they are kept unpacked, where the server has room for that
 * (`uncompressed_cache_size`). Traces of a few seconds lie scattered over the granules of their minute, so who looks at
 * one, or at the newest, mostly reads the same granules next. A statement that reads more rows leaves the cache alone.
 */
export const keepsUnpacked = "use_uncompressed_cache = 1, merge_tree_max_rows_to_use_cache = 262144";

/**
 * Gives rows for `readSpanRows`: the spans that the parameter `tenant` has in the traces of which `ids` has the ids in
 * hex. `trace_minutes` says which granules to look into; of a row only its trace id and tenant are asked.
 */
export function spansOfTraces(database: string): string {
  return (
    `SELECT ${selectColumns} FROM ${database}.spans ` +
    // Of itself, ClickHouse would look at the tenants of all rows first.
    `PREWHERE trace_id IN ${idsAsBytes} ` +
    `WHERE tenant = {tenant:String} AND indexHint((received, toStartOfMinute(start)) IN ` +
    `(SELECT received, minute FROM ${database}.trace_minutes WHERE trace_id IN ${idsAsBytes})) ` +
    // The minute of a start before 1970 or after 2106 is any: of a range of starts with one of them in it, the first and
    // the last minute say nothing of those between, but ClickHouse believes so. The primary key has minutes themselves.
    `SETTINGS ignore_data_skipping_indices = 'start_index', ${keepsUnpacked} FORMAT RowBinary`
  );
}

/** Gives rows for `readSpanRows`: the archived spans of traces, each once; parameters as those of `spansOfTraces`. */
export function archivedSpansOfTraces(database: string): string {
  return (
    `SELECT ${selectColumns} FROM ${database}.archived_spans FINAL ` +
    `WHERE trace_id IN ${idsAsBytes} AND tenant = {tenant:String} FORMAT RowBinary`
  );
}

// These must stay, to the letter, what the indexes of `spans` are built on: otherwise the indexes are not used.
const indexedHashes = [
  "arrayMap(a -> cityHash64(a.1, a.3), attributes)",
  "arrayMap(a -> cityHash64(a.1, a.3), resource_attributes)",
  "arrayFlatten(arrayMap(e -> arrayMap(a -> cityHash64(a.1, a.3), e.3), events))",
];

/**
 * Where a span may have an attribute: itself, its resource, its events. Of each place, conditions that together say that
 * it is there.
 *
 * The first drops granules by the index, and costs nothing for the rows of those that stay; the second is exact.
 * @param key,value expressions for the two texts, such as query parameters
 * @param asDouble one for the text that a double may have instead, where there is such a text
 */
export function attributePlaces(
  key: string,
  value: string,
  asDouble?: string,
): (readonly [hint: string, exact: string])[] {
  const has = (hashes: string, text: string) => `has(${hashes}, cityHash64(${key}, ${text}))`;
  if (asDouble === undefined) {
    const isSought = (k: string, v: string) => `${k} = ${key} AND ${v} = ${value}`;
    const exact = [
      `arrayExists((k, v) -> ${isSought("k", "v")}, attributes.key, attributes.value)`,
      `arrayExists((k, v) -> ${isSought("k", "v")}, resource_attributes.key, resource_attributes.value)`,
      `arrayExists(e -> arrayExists(a -> ${isSought("a.1", "a.3")}, e.3), events)`,
    ];
    return indexedHashes.map((hashes, place) => [has(hashes, value), exact[place] ?? "false"]);
  }
  const isOne = `a.1 = ${key} AND (a.3 = ${value} OR (a.2 = 'double' AND a.3 = ${asDouble}))`;
  const exact = [
    `arrayExists(a -> ${isOne}, attributes)`,
    `arrayExists(a -> ${isOne}, resource_attributes)`,
    `arrayExists(e -> arrayExists(a -> ${isOne}, e.3), events)`,
  ];
  return indexedHashes.map((hashes, place) => [
    `(${has(hashes, value)} OR ${has(hashes, asDouble)})`,
    exact[place] ?? "false",
  ]);
}

/** Conditions that together say: the span has this attribute in one of the places. */
export function hasAttribute(key: string, value: string, asDouble?: string): string[] {
  const places = attributePlaces(key, value, asDouble);
  return [
    `indexHint(${places.map(([hint]) => hint).join(" OR ")})`,
    `(${places.map(([, exact]) => exact).join(" OR ")})`,
  ];
}
