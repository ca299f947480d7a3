import { storedColumns } from "wire/rows/read-stored-rows";
import {
  attributeTexts,
  hasElement,
  hasElementText,
  type SoughtValues,
  typesOfText,
} from "../attribute-text-sql.ts";
import { eventText } from "../event-text-sql.ts";
import type { SqlText } from "../sql-text.ts";

/** The columns that `readStoredRows` reads. */
export const selectColumns: string = storedColumns.join(", ");

/** These columns contain most bytes of a span. Lists of traces do not show them. */
const columnsOfDetails: ReadonlySet<string> = new Set([
  "trace_state",
  "status_message",
  "attribute_text",
  "event_text",
]);

/** Like `selectColumns`, but details are empty texts, so that their columns are not read. */
export const outlineColumns: string = storedColumns
  .map((column) => (columnsOfDetails.has(column) ? "''" : column))
  .join(", ");

/**
 * Condition on a row of `operations`: its operation has spans on days that still exist. The oldest day is known without
 * reading rows. Without spans, the oldest day is the last day of the type.
 */
export function hasSpans(database: string): string {
  return `last_received >= (SELECT if(count() = 0, toDate('2149-06-06'), min(received)) FROM ${database}.spans)`;
}

/** SQL for the ids of the parameter `ids`, which contains them in hex. */
export const idsAsBytes = "(SELECT toFixedString(unhex(arrayJoin({ids:Array(String)})), 16))";

/**
 * Settings of a statement that reads few granules. These granules stay uncompressed in the server's cache, if it has
 * such a cache (`uncompressed_cache_size`). The traces of a few seconds are scattered over the granules of their
 * minute, so the next trace mostly needs the same granules. A statement that reads more rows does not use the cache.
 * One thread reads and also writes the answer. Separate threads for writing cost a tenth of a search, and do not make a
 * trace of 50,000 spans faster.
 */
export const keepsUnpacked =
  "use_uncompressed_cache = 1, merge_tree_max_rows_to_use_cache = 262144, output_format_parallel_formatting = 0";

/**
 * Rows for `readStoredRows`: the spans of the parameter `tenant` in the traces of `ids` (hex). `trace_minutes`
 * determines which granules are read. Inside of these granules, only trace id and tenant are compared.
 * @param columns `selectColumns` or `outlineColumns`
 */
export function spansOfTraces(database: string, columns = selectColumns): string {
  return (
    `SELECT ${columns} FROM ${database}.spans ` +
    // Without PREWHERE, ClickHouse would read the tenants of all rows first.
    `PREWHERE trace_id IN ${idsAsBytes} ` +
    `WHERE tenant = {tenant:String} AND indexHint((received, toStartOfMinute(start)) IN ` +
    `(SELECT received, minute FROM ${database}.trace_minutes WHERE trace_id IN ${idsAsBytes})) ` +
    // Before 1970 and after 2106 the 32-bit minute of a start is arbitrary. ClickHouse assumes that all minutes of a
    // range lie between the first and the last minute, which is wrong for a range with such a start. The primary key
    // contains the minutes themselves.
    `SETTINGS ignore_data_skipping_indices = 'start_index', ${keepsUnpacked} FORMAT RowBinary`
  );
}

/**
 * Maximum delay in seconds between the moment at which a span can be read and its entry in `trace_minutes`: the end of
 * an insert on a slow disk.
 */
const justArrivedSeconds = 60;

/**
 * Rows for `readStoredRows`, for traces that are not yet in `trace_minutes`: spans are readable before the insert has
 * written to that table. Reads only spans that arrived within the last minute and were received yesterday or today.
 * Blocks that waited longer in a journal are found at the end of their insert.
 */
export function justArrivedOfTraces(database: string, columns = selectColumns): string {
  return (
    `SELECT ${columns} FROM ${database}.spans PREWHERE trace_id IN ${idsAsBytes} ` +
    `WHERE tenant = {tenant:String} AND arrived >= now('UTC') - ${justArrivedSeconds} ` +
    `AND received >= toDate(now('UTC')) - 1 SETTINGS ${keepsUnpacked} FORMAT RowBinary`
  );
}

/**
 * Rows for `readStoredRows`: the archived spans of traces, without copies. The parameters are the same as for
 * `spansOfTraces`.
 */
export function archivedSpansOfTraces(database: string): string {
  return (
    `SELECT ${selectColumns} FROM ${database}.archived_spans FINAL ` +
    `WHERE trace_id IN ${idsAsBytes} AND tenant = {tenant:String} FORMAT RowBinary`
  );
}

/** An attribute to search for, by key and by value as text. The type does not matter. */
export interface SoughtAttribute {
  readonly key: SqlText;
  readonly value: SqlText;
  /** A second text that the value has as a double; undefined when there is none. */
  readonly asDouble?: SqlText;
}

/** Conditions for an attribute, one for each place in which a span may have it: span, resource, events. */
export function attributePlaces(sought: SoughtAttribute): [span: string, resource: string, events: string] {
  const values = valuesOf(sought);
  return [
    hasElement(attributeTexts.span, sought.key, values),
    hasElement(attributeTexts.resource, sought.key, values),
    hasElement(eventText, sought.key, values),
  ];
}

function valuesOf({ value, asDouble }: SoughtAttribute): SoughtValues {
  const types = typesOfText(value.text).map((type) => [type, value] as const);
  return asDouble === undefined ? types : [...types, ["double", asDouble]];
}

/** Condition that a span has this attribute in at least one of these places. */
export function hasAttribute(attribute: SoughtAttribute): string {
  return `(${attributePlaces(attribute).join(" OR ")})`;
}

/**
 * Like `hasAttribute`, but without conditions for indexes, for few rows: planning such conditions takes longer than
 * reading the rows.
 */
export function hasAttributeText(attribute: SoughtAttribute): string {
  const columns = [attributeTexts.span, attributeTexts.resource, eventText];
  const places = columns.map((column) => hasElementText(column, attribute.key, valuesOf(attribute)));
  return `(${places.join(" OR ")})`;
}

/**
 * Replaces the parameter `ids` by literals in the statement's text. Only then does ClickHouse know, before it reads,
 * which shards may have the traces. With a parameter, ClickHouse would run a query to read the ids, which takes 2 ms.
 * The ids are written as bytes, because functions that convert hex take about 0.1 ms of planning for each id. A single
 * id is compared with `=`: ClickHouse makes a set of any list before it uses an index, which takes half a millisecond.
 * @param ids at least one id, each with 32 hex digits
 */
export function namingTraces(sql: string, ids: readonly string[]): string {
  const [first, ...further] = ids.map(fixedBytes);
  const isNamed = further.length === 0 ? `= ${first}` : `IN (${[first, ...further].join(", ")})`;
  return sql.replaceAll(`IN ${idsAsBytes}`, isNamed);
}

/**
 * Makes a statement for one trace run on one thread. There are too few granules for a second reader, and a second
 * thread that only passes rows on costs a tenth of the processor time: docs/adr/016-where-searches-spend-their-time.md.
 * @param sql statement; returned unchanged when it has no settings
 */
export function onOneThread(sql: string): string {
  return sql.replace("SETTINGS ", "SETTINGS max_threads = 1, ");
}

/** The type of the column converts the text to a `FixedString`. @throws Error for an id that is not hexadecimal */
function fixedBytes(id: string): string {
  if (!/^[0-9a-f]{32}$/.test(id)) {
    throw new Error(`"${id}" is not the id of a trace`);
  }
  return `'${id.replaceAll(/../g, "\\x$&")}'`;
}
