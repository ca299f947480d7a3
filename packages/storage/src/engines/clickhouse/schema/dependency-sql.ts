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

/** Parents of pending calls: `key` and `service`. The hashes are those of the migration that made `dependency_calls`. */
function callers(database: string, pending: string, lookBackMinutes: number): string {
  const key = (kind: "span" | "client", id = "span_id") => `cityHash64('${kind}', tenant, trace_id, ${id})`;
  // Clocks of parents may be a minute ahead.
  const near =
    `toStartOfMinute(start) IN (SELECT toDateTime(arrayJoin(range(toUInt32(greatest(minute - ${lookBackMinutes}, 0)), ` +
    `toUInt32(greatest(minute, 0) + 2))) * 60, 'UTC') FROM ${pending})`;
  const isPending = (kind: "span" | "client") =>
    `${near} AND ${key(kind)} IN (SELECT pending FROM ${pending})`;
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

/** @param rows at most about so many are looked at */
function pendingCalls(database: string, rows: number, where = "", having = ""): string {
  return `(SELECT received, pending, tenant, minute, child, sum(stored.calls) AS calls, min(stored.arrived) AS since
  FROM ${database}.dependency_calls AS stored
  WHERE pending != 0 AND pending <= ${lastPending(database, rows)} ${where}
  GROUP BY received, pending, tenant, minute, child HAVING calls != 0 ${having})`;
}

/**
 * Links of `tenant` in the minutes from `from` to `to`: what has been counted, and what is pending and has its parent by
 * now, by a sample where very many are.
 */
export function linksSql(database: string): string {
  const wanted = "AND tenant = {tenant:String} AND minute BETWEEN {from:Int32} AND {to:Int32}";
  return `WITH open AS ${pendingCalls(database, maxPendingRead, wanted)}
SELECT parent, child, round(sum(calls)) AS callCount, '' AS source FROM (
  SELECT parent, child, toFloat64(calls) AS calls FROM ${database}.dependency_calls WHERE pending = 0 ${wanted}
  UNION ALL
  SELECT callers.service AS parent, open.child AS child, open.calls * ${pendingScale(database, maxPendingRead)} AS calls
  FROM open INNER JOIN (${callers(database, "open", nearMinutes)}) AS callers ON open.pending = callers.key
  WHERE callers.service != open.child
) GROUP BY parent, child HAVING callCount > 0 ORDER BY parent, child ${byMinutes}`;
}

/**
 * One statement that settles pending calls: those whose parent is there are counted, and taken away; those that have
 * waited for ten minutes are looked for once more, further back, and taken away. So a call that never finds its parent is
 * gone after ten minutes, however many there are.
 * @param isLast whether to look at those that have waited, rather than at all
 */
export function settleSql(database: string, isLast: boolean): string {
  const waited = isLast ? `AND since < now() - INTERVAL ${patienceMinutes} MINUTE` : "";
  const found = callers(database, "open", isLast ? farMinutes : nearMinutes);
  return `INSERT INTO ${database}.dependency_calls (received, pending, tenant, minute, parent, child, calls, arrived)
WITH open AS ${pendingCalls(database, maxPendingSettled, "", waited)}
SELECT received, row.1 AS pending, tenant, minute, row.2 AS parent, child, row.3 AS calls, since AS arrived FROM (
  SELECT open.received AS received, open.tenant AS tenant, open.minute AS minute, open.child AS child, open.since AS since,
    arrayJoin(arrayFilter(row -> row.1 != 0 OR row.2 NOT IN ('', child), [
      (open.pending, '', -open.calls), (toUInt64(0), toString(callers.service), open.calls)])) AS row
  FROM open ${isLast ? "LEFT" : "INNER"} JOIN (${found}) AS callers ON open.pending = callers.key
) ${byMinutes}`;
}
