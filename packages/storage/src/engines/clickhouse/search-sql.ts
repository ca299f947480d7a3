import { soughtDoubleText } from "wire/rows/attribute-text";
import type { SpanFilter } from "../../api/analysis-reader.ts";
import { checkSearch } from "../../api/checked-query.ts";
import type { TraceQuery } from "../../api/span-reader.ts";
import { derivedTagCondition } from "./derived-tag-sql.ts";
import type { QueryParameters } from "./parameter-text.ts";
import { attributePlaces, hasAttribute, hasAttributeText, type SoughtAttribute } from "./schema/span-sql.ts";
import { type SqlText, sqlOf } from "./sql-text.ts";

export type Parameters = Record<string, string | bigint | number>;

export interface SqlQuery {
  /** Statement with named parameters. */
  readonly sql: string;
  /** Values of the parameters. Statements never contain text from users, except as escaped literals. */
  readonly parameters: QueryParameters;
}

/** Maximum number of branches in a statement; each branch reads the table once. */
const maxBranches = 8;

/**
 * Maximum number of characters of all tags that the statement contains directly. Longer texts become parameters: a text
 * occurs many times in a statement, and a statement may have at most 256 KiB.
 */
const maxLiteralLength = 1_024;

const minInt64 = -(2n ** 63n);
const maxInt64 = 2n ** 63n - 1n;

/**
 * The SELECT for `findTraceIds`: ids in hex, newest first by their newest matching span.
 * @param tenant tenant whose spans are searched
 * @param apart true: the first tag is searched separately in events. This is faster when few granules have the tag,
 * because false hits of an index are then not read in full. Separating more places would cost more planning time than
 * it saves in reading.
 * @param isSmall true: indexes for tags are not used. This is faster for few rows, for which planning takes most of the
 * time.
 * @throws StorageError STORAGE_BAD_QUERY as in `checkSearch`
 */
export function searchSql(
  query: TraceQuery,
  database: string,
  tenant: string,
  { apart = false, isSmall = false }: { readonly apart?: boolean; readonly isSmall?: boolean } = {},
): SqlQuery {
  checkSearch(query);
  const parameters: Parameters = { limit: query.limit, tenant };
  const conditions = ["tenant = {tenant:String}", ...spanConditions(query, parameters)];
  const tags = soughtTags(query.tags, "tag", parameters);
  const listsOfTags = isSmall ? [tagConditions(tags, hasAttributeText)] : tagBranches(tags, apart);
  const branches = listsOfTags.map((ofTags) => {
    const where = [...conditions, ...ofTags].join(" AND ");
    return `SELECT trace_id, start FROM ${database}.spans WHERE ${where}`;
  });
  const sql =
    `SELECT lower(hex(trace_id)) AS traceId FROM (${branches.join(" UNION ALL ")})` +
    " GROUP BY trace_id ORDER BY max(start) DESC, trace_id LIMIT {limit:UInt64}";
  return { sql, parameters };
}

/**
 * A single condition on spans, for queries that count each span once. Tags that are shown for other fields make this
 * condition slower than a search, because the indexes do not contain these fields.
 * @param parameters receives the parameters of the condition, and `tenant`
 * @param prefix prefix of parameter names, for a query with several conditions
 */
export function spanCondition(
  filter: SpanFilter,
  parameters: Parameters,
  tenant: string,
  prefix = "",
): string {
  parameters.tenant = tenant;
  const conditions = ["tenant = {tenant:String}", ...spanConditions(filter, parameters, prefix)];
  conditions.push(...tagConditions(soughtTags(filter.tags, `${prefix}tag`, parameters), hasAttribute));
  return conditions.join(" AND ");
}

/**
 * One condition for each tag. It matches an attribute, or a different field that is shown as this tag. @param has
 * creates the condition for an attribute
 */
function tagConditions(tags: readonly SoughtTag[], has: (sought: SoughtAttribute) => string): string[] {
  return tags.map(({ sought, shown }) =>
    shown === undefined ? has(sought) : `(${shown} OR ${has(sought)})`,
  );
}

/** Conditions for everything except tags. @param prefix prefix of parameter names */
function spanConditions(query: SpanFilter, parameters: Parameters, prefix = ""): string[] {
  const conditions: string[] = [];
  const where = (condition: string, name: string, value: string | bigint) => {
    conditions.push(condition.replace("{", `{${prefix}`));
    parameters[`${prefix}${name}`] = typeof value === "bigint" ? int64(value) : value;
  };
  const { startTimeMinUnixNano: startMin, startTimeMaxUnixNano: startMax } = query;
  if (query.service) {
    where("service = {service:String}", "service", query.service);
  }
  if (query.operation) {
    where("name = {operation:String}", "operation", query.operation);
  }
  // A bound that every span fulfills is left out. Also, servers of a cluster cannot pass on the smallest 64-bit time.
  if (startMin !== undefined && startMin > minInt64) {
    where("start >= fromUnixTimestamp64Nano({startMin:Int64}, 'UTC')", "startMin", startMin);
  }
  if (startMax !== undefined && startMax < maxInt64) {
    where("start <= fromUnixTimestamp64Nano({startMax:Int64}, 'UTC')", "startMax", startMax);
  }
  if (query.durationMinNano) {
    where("duration >= {durationMin:Int64}", "durationMin", query.durationMinNano);
  }
  if (query.durationMaxNano) {
    where("duration <= {durationMax:Int64}", "durationMax", query.durationMaxNano);
  }
  if (query.spanKind !== undefined) {
    where("kind = {kind:String}", "kind", query.spanKind);
  }
  if (query.hasError !== undefined) {
    conditions.push(`status ${query.hasError ? "=" : "!="} 'error'`);
  }
  return conditions;
}

/**
 * Lists of conditions. A span matches when it satisfies all conditions of one list. A tag that can be an attribute or a
 * different field doubles the number of lists. A single condition with OR would be slower: the indexes do not contain
 * the other fields, so ClickHouse would read the values of every row.
 */
function tagBranches(tags: readonly SoughtTag[], apart: boolean): string[][] {
  let branches: string[][] = [[]];
  for (const [index, { sought, shown }] of tags.entries()) {
    const has = hasAttribute(sought);
    if (apart && index === 0) {
      const [ofSpan, ofResource, ofEvents] = attributePlaces(sought);
      branches = [[`(${ofSpan} OR ${ofResource})`], [ofEvents]];
      if (shown !== undefined) {
        branches.push([shown]);
      }
    } else if (shown === undefined) {
      branches = branches.map((branch) => [...branch, has]);
    } else if (branches.length * 2 > maxBranches) {
      branches = branches.map((branch) => [...branch, `(${shown} OR ${has})`]);
    } else {
      branches = branches.flatMap((branch) => [
        [...branch, has],
        [...branch, shown],
      ]);
    }
  }
  return branches;
}

/** A tag to search for, with a condition for fields that are shown as this tag. */
interface SoughtTag {
  /** Key and value as the attribute columns store them. */
  readonly sought: SoughtAttribute;
  /** Condition for a field that is shown as this tag. Undefined for an ordinary attribute. */
  readonly shown: string | undefined;
}

/**
 * @param name prefix of parameter names
 * @param parameters receives the texts of long tags
 */
function soughtTags(
  tags: ReadonlyMap<string, string> = new Map(),
  name: string,
  parameters: Parameters,
): SoughtTag[] {
  const isLong = [...tags].flat().join("").length > maxLiteralLength;
  return [...tags].map(([key, value], number) => {
    const textOf = (part: string, text: string): SqlText => {
      if (!isLong) {
        return { text };
      }
      parameters[`${name}${part}${number}`] = text;
      return { text, sql: `{${name}${part}${number}:String}` };
    };
    const asDouble = soughtDoubleText(value);
    const sought: SoughtAttribute = {
      ...{ key: textOf("Key", key), value: textOf("Value", value) },
      ...(asDouble === undefined ? {} : { asDouble: textOf("Double", asDouble) }),
    };
    return { sought, shown: derivedTagCondition(key, value, sqlOf(sought.value)) };
  });
}

function int64(value: bigint): bigint {
  return value < minInt64 ? minInt64 : value > maxInt64 ? maxInt64 : value;
}
