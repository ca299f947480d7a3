import { adjustedCountSql } from "../adjusted-count-sql.ts";
import { minuteNumber, noParent } from "../schema/derived-migration.ts";
import { spanHash } from "./span-identity.ts";

/** Longest window in seconds: copies are looked for among spans that arrived within it. */
export const maxWindow = 900;
/**
 * Most spans that one step looks through; grouping their ids takes 70 MB of memory. When more spans arrive, the
 * window of a step is shorter.
 */
export const maxSpans = 2_000_000;
/** Most ids that a statement names. With more, the statement looks for them itself. */
export const maxNamedIds = 1_000;

/** Tables, by their names in the database of one server. */
type TableName = (table: string) => string;

/** Days are those of the writer's clock. */
function arrivedWithin(seconds: number): string {
  const since = `now('UTC') - INTERVAL ${seconds} SECOND`;
  return `arrived > ${since} AND received >= toDate(${since}) - 1`;
}

/** Numbers of the spans that arrived in a window of time, and in its newer half. */
export interface ArrivedSpans {
  /** Spans that arrived in the window. */
  readonly spans: number;
  /** Spans that arrived in its newer half. */
  readonly newer: number;
}

/** A window twice as long as the one that was right for the last step: more may fit by now. @returns seconds */
export function windowToTry(last: number): number {
  return Math.min(2 * last, maxWindow);
}

/** One row of `ArrivedSpans`. */
export function arrivedSql(tables: TableName, seconds: number): string {
  return `SELECT toUInt32(count()) AS spans, toUInt32(countIf(arrived > now('UTC') - INTERVAL ${Math.ceil(seconds / 2)} SECOND)) AS newer
FROM ${tables("spans")} WHERE ${arrivedWithin(seconds)}`;
}

/** The window whose spans a step looks through, and how many they are. @param tried seconds */
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

/** Copies share it, and spans that are no copies hardly ever: both sides of a call with one id differ in their kind. */
const looseId = "bitXor(reinterpretAsUInt64(span_id), toUInt64(kind) * 11400714819323198485)";

/** A span that started this many seconds before it arrived, or fewer, cannot have a copy that left the window. */
const leastLateness = 30;

/** The time in which a step looks for copies. Seconds until now. */
export interface CopyWindow {
  /** Spans that arrived in it are compared with each other. */
  readonly seconds: number;
  /** Late spans that arrived in this time are compared with all stored spans; 0: no late spans are. */
  readonly lateSeconds: number;
}

/**
 * Spans that started before the window began. Only their copies may have arrived before the window, because a
 * span arrives after its start.
 */
function lateWithin({ seconds, lateSeconds }: CopyWindow): string {
  return `${arrivedWithin(lateSeconds)} AND start < arrived - INTERVAL ${Math.max(seconds, leastLateness)} SECOND`;
}

/** One row: `late`, the number of late spans. */
export function lateSql(tables: TableName, window: CopyWindow): string {
  return `SELECT toUInt32(count()) AS late FROM ${tables("spans")} WHERE ${lateWithin(window)}`;
}

/**
 * Ids that more than one span has: of those that arrived in the window, and of late ones and all others of
 * their minutes. One thread takes half the time of two, which group the same ids twice.
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

/** One row: `ids`, of which some are left out where there are more than `maxNamedIds`, and `count`, how many there are. */
export function suspectIdsSql(tables: TableName, window: CopyWindow): string {
  return `SELECT arrayMap(id -> toString(id), groupArray(${maxNamedIds})(id)) AS ids, toUInt32(count()) AS count FROM (${suspectIds(tables, window)}) SETTINGS max_threads = 1, ignore_data_skipping_indices = 'start_index'`;
}

/** For a called span, the hash of its parent as in the view of `dependency_calls`; 0 for other spans. */
const pending = `multiIf(parent_span_id != ${noParent}, cityHash64('span', tenant, trace_id, parent_span_id),
    format != 'otlp' AND kind = 'server', cityHash64('client', tenant, trace_id, span_id), 0)`;

/**
 * Records how often spans with these ids are stored, wherever their other rows arrived. Recorded copies are
 * left out, and surplus ones are taken back, as when two processes did this at the same time.
 * @param ids all ids of the window; undefined where there are too many to be named
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
