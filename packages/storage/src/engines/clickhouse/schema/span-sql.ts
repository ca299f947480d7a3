import { storedColumns } from "wire/rows";
import {
  attributeTexts,
  hasElement,
  hasElementText,
  type SoughtValues,
  typesOfText,
} from "../attribute-text-sql.ts";
import { eventText } from "../event-text-sql.ts";
import type { SqlText } from "../sql-text.ts";

/** What `readStoredRows` reads. */
export const selectColumns: string = storedColumns.join(", ");

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
 *
 * And the answer is written by the thread that reads it: threads of their own for that cost a tenth of a search, and a trace of
 * 50,000 spans comes no sooner with them.
 */
export const keepsUnpacked =
  "use_uncompressed_cache = 1, merge_tree_max_rows_to_use_cache = 262144, output_format_parallel_formatting = 0";

/**
 * Gives rows for `readStoredRows`: the spans that the parameter `tenant` has in the traces of which `ids` has the ids in
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

/** How long `trace_minutes` may take to know of a span that can be read, in seconds: the end of an insert, on a slow disk. */
const justArrivedSeconds = 60;

/**
 * The same for traces that `trace_minutes` does not know: an insert makes spans readable before it has written there. Looks
 * at what arrived within the last minute only.
 */
export function justArrivedOfTraces(database: string): string {
  return (
    `SELECT ${selectColumns} FROM ${database}.spans PREWHERE trace_id IN ${idsAsBytes} ` +
    `WHERE tenant = {tenant:String} AND arrived >= now('UTC') - ${justArrivedSeconds} ` +
    `AND received >= toDate(now('UTC')) - 1 SETTINGS ${keepsUnpacked} FORMAT RowBinary`
  );
}

/** Gives rows for `readStoredRows`: the archived spans of traces, each once; parameters as those of `spansOfTraces`. */
export function archivedSpansOfTraces(database: string): string {
  return (
    `SELECT ${selectColumns} FROM ${database}.archived_spans FINAL ` +
    `WHERE trace_id IN ${idsAsBytes} AND tenant = {tenant:String} FORMAT RowBinary`
  );
}

/** An attribute that is looked for by the texts of its key and value, whatever type it has. */
export interface SoughtAttribute {
  readonly key: SqlText;
  readonly value: SqlText;
  /** The text that a double may have instead, where there is such a text. */
  readonly asDouble?: SqlText;
}

/** Where a span may have an attribute. Of each place, the condition that it is there. */
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

/** The condition that a span has this attribute in one of the places. */
export function hasAttribute(attribute: SoughtAttribute): string {
  return `(${attributePlaces(attribute).join(" OR ")})`;
}

/** The same for few rows: without what the indexes know, which takes longer to plan than these rows to read. */
export function hasAttributeText(attribute: SoughtAttribute): string {
  const columns = [attributeTexts.span, attributeTexts.resource, eventText];
  const places = columns.map((column) => hasElementText(column, attribute.key, valuesOf(attribute)));
  return `(${places.join(" OR ")})`;
}
