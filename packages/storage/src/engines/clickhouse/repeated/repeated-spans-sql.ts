import { adjustedCountSql } from "../adjusted-count-sql.ts";
import { minuteNumber, noParent } from "../schema/derived-migration.ts";
import { spanHash } from "./span-identity.ts";

/** Longest window in seconds. Copies are searched among spans that arrived within the window. */
export const maxWindow = 900;
/**
 * Maximum number of spans in one step; grouping their ids takes 70 MB of memory. When more spans arrive, the window of
 * a step is shorter.
 */
export const maxSpans = 2_000_000;
/** Maximum number of ids that a statement lists. If there are more ids, the statement finds them itself. */
export const maxNamedIds = 1_000;

/** Returns the name of a table in the database of one server. */
type TableName = (table: string) => string;

/** The column `received` contains the day by the collector's clock, which may differ from the server's. */
function arrivedWithin(seconds: number): string {
  const since = `now('UTC') - INTERVAL ${seconds} SECOND`;
  return `arrived > ${since} AND received >= toDate(${since}) - 1`;
}

/** Number of spans that arrived in a window of time, and in its newer half. */
export interface ArrivedSpans {
  /** Number of spans that arrived in the window. */
  readonly spans: number;
  /** Number of spans that arrived in the newer half of the window. */
  readonly newer: number;
}

/** Window for the next step: twice the last window, because the limit may now allow more time. @returns seconds */
export function windowToTry(last: number): number {
  return Math.min(2 * last, maxWindow);
}

/** SQL for one row of `ArrivedSpans`. */
export function arrivedSql(tables: TableName, seconds: number): string {
  return `SELECT toUInt32(count()) AS spans, toUInt32(countIf(arrived > now('UTC') - INTERVAL ${Math.ceil(seconds / 2)} SECOND)) AS newer
FROM ${tables("spans")} WHERE ${arrivedWithin(seconds)}`;
}

/** Window that a step searches, and its number of spans. @param tried length of the counted window in seconds */
export function windowOf({ spans, newer }: ArrivedSpans, tried: number): { seconds: number; spans: number } {
  if (spans <= maxSpans) {
    return { seconds: tried, spans };
  }
  const half = Math.ceil(tried / 2);
  if (newer <= maxSpans) {
    return { seconds: half, spans: newer };
  }
  return { seconds: Math.max(1, Math.floor((half * maxSpans) / newer)), spans: maxSpans };
}

/**
 * Key that copies share. Other spans hardly ever share the key: client and server with the same span id differ in their
 * kind.
 */
const looseId = "bitXor(reinterpretAsUInt64(span_id), toUInt64(kind) * 11400714819323198485)";

/** Time in seconds. A span that started at most this long before its arrival has all its copies in the window. */
const leastLateness = 30;

/** The window in which a step searches copies, in seconds before now. */
export interface CopyWindow {
  /** Spans that arrived in this number of seconds are compared with each other. */
  readonly seconds: number;
  /**
   * Late spans that arrived in this number of seconds are compared with all stored spans; 0: late spans are not
   * compared.
   */
  readonly lateSeconds: number;
}

/**
 * SQL condition for spans that started before the window. Only such spans can have copies that arrived before the
 * window, because a span arrives after its start.
 */
function lateWithin({ seconds, lateSeconds }: CopyWindow): string {
  return `${arrivedWithin(lateSeconds)} AND start < arrived - INTERVAL ${Math.max(seconds, leastLateness)} SECOND`;
}

/** SQL for one row: `late`, the number of late spans. */
export function lateSql(tables: TableName, window: CopyWindow): string {
  return `SELECT toUInt32(count()) AS late FROM ${tables("spans")} WHERE ${lateWithin(window)}`;
}

/**
 * SQL for ids that several spans share. It compares the spans of the window with each other, and late spans with all
 * spans of their minutes. One thread takes half the processor time of two threads, which would both group the same ids.
 */
function suspectIds(tables: TableName, window: CopyWindow): string {
  const spans = tables("spans");
  const recent = `SELECT ${looseId} AS id FROM ${spans} WHERE ${arrivedWithin(window.seconds)} GROUP BY id HAVING count() > 1`;
  if (window.lateSeconds === 0) {
    return recent;
  }
  const late = `FROM ${spans} WHERE ${lateWithin(window)}`;
  return `${recent} UNION DISTINCT SELECT ${looseId} AS id FROM ${spans}
  WHERE toStartOfMinute(start) IN (SELECT toStartOfMinute(start) ${late}) AND ${looseId} IN (SELECT ${looseId} ${late})
  GROUP BY id HAVING count() > 1`;
}

/** SQL for one row: `ids`, at most `maxNamedIds`, and `count`, the number of all ids. */
export function suspectIdsSql(tables: TableName, window: CopyWindow): string {
  return `SELECT arrayMap(id -> toString(id), groupArray(${maxNamedIds})(id)) AS ids, toUInt32(count()) AS count FROM (${suspectIds(tables, window)}) SETTINGS max_threads = 1, ignore_data_skipping_indices = 'start_index'`;
}

/** For a called span, the hash of its parent as in the view of `dependency_calls`; 0 for all other spans. */
const pending = `multiIf(parent_span_id != ${noParent}, cityHash64('span', tenant, trace_id, parent_span_id),
    format != 'otlp' AND kind = 'server', cityHash64('client', tenant, trace_id, span_id), 0)`;

/**
 * SQL that records how often spans with these ids are stored, whenever their rows arrived. Copies that are already
 * recorded are skipped. Surplus records are corrected, for example after two processes recorded the same copies at the
 * same time.
 * @param ids all ids of the window; undefined when there are too many for a statement
 */
export function noteRepeatedSql(
  tables: TableName,
  window: CopyWindow,
  ids: readonly string[] | undefined,
): string {
  const suspects = ids === undefined ? suspectIds(tables, window) : ids.map((id) => BigInt(id)).join(", ");
  const recent = `FROM ${tables("spans")} WHERE ${arrivedWithin(Math.max(window.seconds, window.lateSeconds))} AND ${looseId} IN (${suspects})`;
  return `INSERT INTO ${tables("repeated_spans")} (received, tenant, minute, span, service, name, kind, duration, failed, pending, adjusted_count, copies)
SELECT day, tenant, minute, span, its_service, its_name, its_kind, its_duration, has_failed, its_parent, its_count, toInt32(found - 1 - noted) FROM (
  SELECT tenant, ${minuteNumber} AS minute, ${spanHash} AS span, toInt64(count()) AS found, max(received) AS day,
    any(service) AS its_service, any(name) AS its_name, any(kind) AS its_kind, any(duration) AS its_duration,
    any(status = 'error') AS has_failed, any(${pending}) AS its_parent,
    any(${adjustedCountSql}) AS its_count
  FROM ${tables("spans")}
  WHERE toStartOfMinute(start) IN (SELECT toStartOfMinute(start) ${recent}) AND ${looseId} IN (${suspects})
  GROUP BY tenant, minute, span HAVING found > 1
) AS repeated LEFT JOIN (
  SELECT span, sum(toInt64(copies)) AS noted FROM ${tables("repeated_spans")}
  WHERE minute IN (SELECT ${minuteNumber} ${recent}) GROUP BY span
) AS before ON repeated.span = before.span
WHERE found - 1 != noted SETTINGS ignore_data_skipping_indices = 'start_index'`;
}
