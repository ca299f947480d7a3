import type { SpanKind } from "wire/model";

/** How many minutes before a span its parent may start to be found when their blocks have met. */
const nearMinutes = 2;
/** The same for calls that have waited. */
const farMinutes = 60;
/** After so many minutes nobody looks for a parent any more. */
const patienceMinutes = 10;

/** Rows of waiting calls that a read looks at: of more, a sample. The others are counted once they are settled. */
const maxPendingRead = 30_000;
/** The same for a step that settles them; what is left is for the steps after it. */
const maxPendingSettled = 1_000_000;

/** See `spansOfTraces`. */
const byMinutes = "SETTINGS ignore_data_skipping_indices = 'start_index'";

/** Clocks of parents may be so many minutes ahead. */
const aheadMinutes = 1;

/** Where parents are looked for. Both are what `IN` takes: beginnings of minutes, and hashes. */
interface SoughtCallers {
  readonly minutes: string;
  readonly keys: string;
}

/** Those of a table of pending calls. */
function callersOf(pending: string, lookBackMinutes: number): SoughtCallers {
  return {
    minutes:
      `(SELECT toDateTime(arrayJoin(range(toUInt32(greatest(minute - ${lookBackMinutes}, 0)), ` +
      `toUInt32(greatest(minute, 0) + ${aheadMinutes + 1}))) * 60, 'UTC') FROM ${pending})`,
    keys: `(SELECT pending FROM ${pending})`,
  };
}

/** Parents of pending calls: `key` and `service`. The hashes are those of the migration that made `dependency_calls`. */
function callers(database: string, { minutes, keys }: SoughtCallers): string {
  const key = (kind: "span" | "client") => `cityHash64('${kind}', tenant, trace_id, span_id)`;
  const isPending = (kind: "span" | "client") =>
    `toStartOfMinute(start) IN ${minutes} AND ${key(kind)} IN ${keys}`;
  return `SELECT ${key("span")} AS key, argMax(service, kind != 'client') AS service
  FROM ${database}.spans WHERE ${isPending("span")} GROUP BY key
  UNION ALL
  SELECT ${key("client")} AS key, any(service) AS service FROM ${database}.spans
  WHERE format != 'otlp' AND kind = 'client' AND ${isPending("client")} GROUP BY key`;
}

const maxHash = "18446744073709551615";

/** How many times as many rows wait as are looked at, at least 1. */
function pendingScale(database: string, rows: number): string {
  return `(SELECT greatest(count() / ${rows}, 1) FROM ${database}.dependency_calls WHERE pending != 0)`;
}

/**
 * The greatest hash of waiting calls that are looked at. The table is ordered by hashes: up to one of them there is a fair
 * sample, of which nothing else is read.
 */
function lastPending(database: string, rows: number): string {
  const sampled = `intDiv(${maxHash}, count()) * ${rows}`;
  return `(SELECT if(count() > ${rows}, ${sampled}, ${maxHash}) FROM ${database}.dependency_calls WHERE pending != 0)`;
}

/** Of the called span: its kind, whether it failed, the bucket of its duration. */
const details = "kind, failed, bucket";

/** @param rows at most about so many are looked at */
function pendingCalls(database: string, rows: number, where = "", having = ""): string {
  return `(SELECT received, pending, tenant, minute, child, ${details}, sum(stored.calls) AS calls, min(stored.arrived) AS since
  FROM ${database}.dependency_calls AS stored
  WHERE pending != 0 AND pending <= ${lastPending(database, rows)} ${where}
  GROUP BY received, pending, tenant, minute, child, ${details} HAVING calls != 0 ${having})`;
}

const wanted = "AND tenant = {tenant:String} AND minute BETWEEN {from:Int32} AND {to:Int32}";

/** So many rows of waiting calls are looked at one by one; they mostly are fewer. */
export const maxPendingNamed = 1_000;

/** A row of `countedSql`. */
export interface CountedCalls {
  /** "0" of calls that are counted, which have a parent; otherwise the hash of the parent. */
  readonly parentKey: string;
  readonly startMinute: number;
  readonly parent: string;
  readonly child: string;
  /** Less than none where it takes away what is counted elsewhere. */
  readonly calls: number;
  /** With details only, as the next two. */
  readonly kind?: SpanKind;
  readonly failed?: boolean;
  readonly bucket?: number;
}

/** How much is told of calls: their number, or also of what kind they are, how they end and how long they last. */
export type CallDetail = "sums" | "details";

function detailColumns(detail: CallDetail): string {
  return detail === "details" ? `, ${details}` : "";
}

/**
 * The calls of `tenant` in the minutes from `from` to `to` that have been counted, and the rows of those that wait: all of
 * them, or one more than `maxPendingNamed`. Both in one look at the table: of a step that settles calls between two looks, the
 * first would not see what is counted, nor the second what waited.
 */
export function countedSql(database: string, detail: CallDetail): string {
  const names = ["child", ...(detail === "details" ? details.split(", ") : [])];
  const ofCounted = names.map(
    (name) => `if(pending = 0, stored.${name}, defaultValueOfArgumentType(stored.${name}))`,
  );
  const any = names.map((name) => `any(stored.${name})`);
  return `SELECT toString(row.1) AS parentKey, row.2 AS startMinute, toString(caller) AS parent, toFloat64(row.3) AS calls,
  ${names.map((name, index) => `row.${index + 4} AS ${name}`).join(", ")}
FROM (
  SELECT parent AS caller, (toUInt64(0), toInt32(0), sum(stored.calls), ${any.join(", ")}) AS counted,
    groupArrayIf(${maxPendingNamed + 1})((pending, minute, stored.calls, ${names.map((name) => `stored.${name}`).join(", ")}), pending != 0) AS waiting
  FROM ${database}.dependency_calls AS stored WHERE 1 ${wanted}
  GROUP BY pending = 0, parent, ${ofCounted.join(", ")}
) ARRAY JOIN if(empty(waiting), [counted], waiting) AS row`;
}

/** Rows of `key` and `service`: parents of calls that wait, named in the statement. That is a quarter of what a join takes. */
export function callersSql(database: string, pending: readonly CountedCalls[]): string {
  const minutes = new Set<number>();
  for (const { startMinute } of pending) {
    const last = Math.max(startMinute, 0) + aheadMinutes;
    for (let minute = Math.max(startMinute - nearMinutes, 0); minute <= last; minute++) minutes.add(minute);
  }
  const starts = Array.from(minutes, (minute) => `toDateTime(toUInt32(${minute}) * 60, 'UTC')`);
  const keys = new Set(pending.map(({ parentKey }) => parentKey));
  const sought = { minutes: `(${starts.join(", ")})`, keys: `(${[...keys].join(", ")})` };
  return `SELECT toString(key) AS key, toString(service) AS service FROM (${callers(database, sought)}) ${byMinutes}`;
}

/**
 * Rows of `CountedCalls` for `tenant` in the minutes from `from` to `to`: what has been counted, and what is pending and has
 * its parent by now, by a sample where very many are.
 */
export function linksSql(database: string, detail: CallDetail): string {
  const more = detailColumns(detail);
  return `WITH open AS ${pendingCalls(database, maxPendingRead, wanted)}
SELECT '0' AS parentKey, toInt32(0) AS startMinute, parent, child, round(sum(joined.calls)) AS calls${more} FROM (
  SELECT parent, child, toFloat64(calls) AS calls, ${details} FROM ${database}.dependency_calls WHERE pending = 0 ${wanted}
  UNION ALL
  SELECT callers.service AS parent, open.child AS child, open.calls * ${pendingScale(database, maxPendingRead)} AS calls, ${details}
  FROM open INNER JOIN (${callers(database, callersOf("open", nearMinutes))}) AS callers ON open.pending = callers.key
  WHERE callers.service != open.child
) AS joined GROUP BY parent, child${more} ${byMinutes}`;
}

/**
 * One statement that settles pending calls: those whose parent is there are counted, and taken away; those that have
 * waited for ten minutes are looked for once more, further back, and taken away. So a call that never finds its parent is
 * gone after ten minutes, however many there are.
 * @param isLast whether to look at those that have waited, rather than at all
 */
export function settleSql(database: string, isLast: boolean): string {
  const waited = isLast ? `AND since < now() - INTERVAL ${patienceMinutes} MINUTE` : "";
  const found = callers(database, callersOf("open", isLast ? farMinutes : nearMinutes));
  return `INSERT INTO ${database}.dependency_calls (received, pending, tenant, minute, parent, child, ${details}, calls, arrived)
WITH open AS ${pendingCalls(database, maxPendingSettled, "", waited)}
SELECT received, row.1 AS pending, tenant, minute, row.2 AS parent, child, ${details}, row.3 AS calls, since AS arrived FROM (
  SELECT open.received AS received, open.tenant AS tenant, open.minute AS minute, open.child AS child, open.kind AS kind, open.failed AS failed, open.bucket AS bucket, open.since AS since,
    arrayJoin(arrayFilter(row -> row.1 != 0 OR row.2 NOT IN ('', child), [
      (open.pending, '', -open.calls), (toUInt64(0), toString(callers.service), open.calls)])) AS row
  FROM open ${isLast ? "LEFT" : "INNER"} JOIN (${found}) AS callers ON open.pending = callers.key
) ${byMinutes}`;
}
