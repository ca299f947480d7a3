import { checkLimit } from "../../api/checked-query.ts";
import type { TraceQuery } from "../../api/span-reader.ts";
import { StorageError } from "../../api/storage-error.ts";
import type { QueryParameters } from "./clickhouse-connection.ts";
import { hasAttribute } from "./schema/span-sql.ts";
import { shownAsTag } from "./shown-as-tag.ts";

/** Of all keys and values, as they stand in the address of the request; Node's servers take 16 KiB of headers. */
const maxTagsLength = 8_192;

const minInt64 = -(2n ** 63n);
const maxInt64 = 2n ** 63n - 1n;

/**
 * The SELECT for `findTraceIds`: ids in hex, newest first by their newest matching span.
 * @throws StorageError STORAGE_REFUSED for a limit below 1 or tags that are too long
 */
export function searchSql(query: TraceQuery, database: string): { sql: string; parameters: QueryParameters } {
  const { limit, tags = new Map<string, string>() } = query;
  checkLimit(limit);
  checkTagsLength(tags);
  const parameters: Record<string, string | bigint | number> = { limit };
  const conditions: string[] = [];
  const where = (condition: string, name: string, value: string | bigint) => {
    conditions.push(condition);
    parameters[name] = value;
  };
  if (query.service) where("service = {service:String}", "service", query.service);
  if (query.operation) where("name = {operation:String}", "operation", query.operation);
  if (query.startTimeMinUnixNano !== undefined) {
    where(
      "start >= fromUnixTimestamp64Nano({startMin:Int64}, 'UTC')",
      "startMin",
      int64(query.startTimeMinUnixNano),
    );
  }
  if (query.startTimeMaxUnixNano !== undefined) {
    where(
      "start <= fromUnixTimestamp64Nano({startMax:Int64}, 'UTC')",
      "startMax",
      int64(query.startTimeMaxUnixNano),
    );
  }
  if (query.durationMinNano)
    where("duration >= {durationMin:Int64}", "durationMin", int64(query.durationMinNano));
  if (query.durationMaxNano)
    where("duration <= {durationMax:Int64}", "durationMax", int64(query.durationMaxNano));
  let count = 0;
  for (const [key, value] of tags) {
    const keyName = `tagKey${count}`;
    const valueName = `tagValue${count++}`;
    where(tagCondition(key, value, `{${keyName}:String}`, `{${valueName}:String}`), keyName, key);
    parameters[valueName] = value;
  }
  const sql =
    `SELECT lower(hex(trace_id)) AS traceId FROM ${database}.spans` +
    (conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`) +
    " GROUP BY trace_id ORDER BY max(start) DESC, trace_id LIMIT {limit:UInt64}";
  return { sql, parameters };
}

function tagCondition(key: string, value: string, keySql: string, valueSql: string): string {
  return `(${[...hasAttribute(keySql, valueSql), ...shownAsTag(key, value, valueSql)].join(" OR ")})`;
}

function int64(value: bigint): bigint {
  return value < minInt64 ? minInt64 : value > maxInt64 ? maxInt64 : value;
}

function checkTagsLength(tags: ReadonlyMap<string, string>): void {
  let length = 0;
  for (const [key, value] of tags)
    length += encodeURIComponent(key).length + encodeURIComponent(value).length;
  if (length > maxTagsLength) {
    throw new StorageError(
      "STORAGE_REFUSED",
      `tags of ${length} bytes are over the limit of ${maxTagsLength}`,
    );
  }
}
