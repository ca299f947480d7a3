import { encodedLength, tenantOf } from "../../api/checked-query.ts";
import {
  checkRankedRates,
  type NameCounts,
  type RankedRates,
  type RankedRatesQuery,
  type RateOrder,
  ratedNames,
} from "../../api/ranked-rates.ts";
import type { ReadOptions } from "../../api/span-reader.ts";
import { readCall } from "./calls/read-call.ts";
import type { ClickHouseConnection } from "./clickhouse-connection.ts";
import type { QueryParameters } from "./parameter-text.ts";
import type { SchemaGuard } from "./schema/schema-guard.ts";

/**
 * Maximum number of bytes of a list of names. Longer lists are not sent as a condition, because the request's address
 * would contain them.
 */
const maxNamesBytes = 6_000;

/**
 * Length limit of a name in the answer; longer names are cut, because one answer contains hundreds of names. The limit
 * is greater than `maxNamesBytes`.
 */
const maxNameLetters = 8_000;

/** SQL of the sort key. Quantiles are sorted by their duration bucket, which gives the same order. */
const rankSql: Readonly<Record<RateOrder, string>> = {
  name: "0",
  calls: "sum(m.calls)",
  errors: "sum(m.errors) / sum(m.calls)",
  p50: "quantileExactWeighted(0.5)(m.bucket, m.calls)",
  p95: "quantileExactWeighted(0.95)(m.bucket, m.calls)",
  p99: "quantileExactWeighted(0.99)(m.bucket, m.calls)",
};

/** Database, query and limits of the read. */
interface RankedRatesRead {
  readonly database: string;
  readonly query: RankedRatesQuery;
  readonly options: ReadOptions;
}

/** Ranks names in `span_metrics`, then reads the curves for one page of names. @throws StorageError */
export async function clickHouseRankedRates(
  connection: ClickHouseConnection,
  schema: SchemaGuard,
  { database, query, options }: RankedRatesRead,
): Promise<RankedRates> {
  checkRankedRates(query);
  const read = readCall(options, "metrics");
  const parameters = {
    tenant: tenantOf(options),
    kinds: query.spanKinds,
    startMinute: query.startUnixMs / 60_000,
    endMinute: query.endUnixMs / 60_000,
    stepMinutes: query.stepMs / 60_000,
    ...(query.service === undefined ? {} : { service: query.service }),
  };
  const rows = <Row>({ sql, more }: Statement) =>
    schema.run(() => connection.rows<Row>(sql, { ...parameters, ...more }, read), options.signal);
  const [ranked] = await rows<{ matched: number; page: [hash: string, name: string][] }>(
    rankStatement(query, database),
  );
  const page = ranked?.page ?? [];
  if (page.length === 0) {
    return { matched: ranked?.matched ?? 0, names: [] };
  }
  const counts = await rows<NameCounts>(countStatement(query, page, database));
  const nameOf = new Map(page);
  // The counts identify a name by its hash.
  const named = counts.map((ofName) => ({ ...ofName, name: nameOf.get(ofName.name) ?? "" }));
  return {
    matched: ranked?.matched ?? 0,
    names: ratedNames(
      query,
      page.map(([, name]) => name),
      named,
    ),
  };
}

interface Statement {
  readonly sql: string;
  /** Parameters that only this statement uses. */
  readonly more: QueryParameters;
}

function sourceSql({ service }: RankedRatesQuery, database: string): { key: string; source: string } {
  const ofService = service === undefined ? "" : " AND service = {service:String}";
  return {
    key: service === undefined ? "m.service" : "m.name",
    source: `FROM ${database}.span_metrics AS m
  WHERE tenant = {tenant:String}${ofService} AND kind IN {kinds:Array(String)}
    AND minute >= {startMinute:Int32} AND minute < {endMinute:Int32}`,
  };
}

/** One row: the number of names, and the names of the page in their order. */
function rankStatement(query: RankedRatesQuery, database: string): Statement {
  const { contains, only, order, limit, offset } = query;
  const { key, source } = sourceSql(query, database);
  const filters = [
    ...(contains === "" ? [] : [`positionCaseInsensitiveUTF8(${key}, {contains:String}) > 0`]),
    ...(only === undefined ? [] : [`${key} IN {only:Array(String)}`]),
  ];
  const sql = `SELECT toFloat64(count()) AS matched,
  arrayMap(r -> (toString(r.3), r.2), arraySlice(arraySort(groupArray((rank, shown, hash))), {offset:UInt32} + 1, {limit:UInt32})) AS page
FROM (
  SELECT cityHash64(${key}) AS hash, -toFloat64(${rankSql[order]}) AS rank,
    any(if(lengthUTF8(${key}) > ${maxNameLetters}, concat(substringUTF8(${key}, 1, ${maxNameLetters}), '…'), toString(${key}))) AS shown
  ${source}${filters.map((filter) => ` AND ${filter}`).join("")} GROUP BY hash
)`;
  const more = {
    ...{ limit, offset },
    ...(contains === "" ? {} : { contains }),
    ...(only === undefined ? {} : { only }),
  };
  return { sql, more };
}

/** One row for each name of the page. */
function countStatement(
  query: RankedRatesQuery,
  page: readonly (readonly [hash: string, name: string])[],
  database: string,
): Statement {
  const { key, source } = sourceSql(query, database);
  const names = page.map(([, name]) => name);
  const length = names.reduce((sum, name) => sum + encodedLength(name), 0);
  // The table is ordered by service. A condition on service names skips most granules; a condition on hashes skips
  // none.
  const isShort = query.service === undefined && length <= maxNamesBytes;
  const among = isShort ? " AND service IN {names:Array(String)}" : "";
  const isAdjusted = query.adjusted === true;
  // A removed copy of a span may be a separate row with negative counts, so the sum needs signed numbers.
  const sum = (column: string) => `toFloat64(sum(${isAdjusted ? `toInt64(m.${column})` : `m.${column}`}))`;
  const sql = `SELECT toString(hash) AS name, groupArray(step) AS steps, groupArray(bucket) AS buckets,
  groupArray(n) AS calls, groupArray(failed) AS errors${isAdjusted ? ", groupArray(adjusted_count) AS adjustedCounts" : ""}
FROM (
  SELECT cityHash64(${key}) AS hash, intDiv(minute - {startMinute:Int32}, {stepMinutes:Int32}) AS step, bucket,
    ${sum("calls")} AS n, ${sum("errors")} AS failed${isAdjusted ? ", adjusted_count" : ""}
  ${source}${among} AND hash IN (${page.map(([hash]) => BigInt(hash)).join(", ")})
  GROUP BY hash, step, bucket${isAdjusted ? ", adjusted_count" : ""}
) GROUP BY hash`;
  return { sql, more: isShort ? { names } : {} };
}
