import type { DurationRanksQuery, TimeRange } from "../../api/analysis-reader.ts";
import { encodedLength, fitsQuery } from "../../api/checked-query.ts";
import { minuteOf } from "./analysis-sql.ts";
import type { SqlQuery } from "./search-sql.ts";

/**
 * Maximum number of bytes of the texts in one query; more texts need several queries. The request's address contains
 * these texts, and Node's servers accept 16 KiB of headers.
 */
const maxChunkBytes = 6_000;

/** Bytes of the quotes and the comma around two texts, percent-encoded. */
const bytesBesideTexts = 18;

interface Operation {
  readonly service: string;
  readonly operation: string;
}

/** The distinct operations whose names are not too long, in groups that fit into one query each. */
export function* operationChunks(operations: DurationRanksQuery["operations"]): Generator<Operation[]> {
  let chunk: Operation[] = [];
  let length = 0;
  const seen = new Set<string>();
  for (const { service, operation } of operations) {
    const key = JSON.stringify([service, operation]);
    if (seen.has(key) || !fitsQuery({ service, operation })) {
      continue;
    }
    seen.add(key);
    const added = encodedLength(service) + encodedLength(operation) + bytesBesideTexts;
    if (chunk.length > 0 && length + added > maxChunkBytes) {
      yield chunk;
      chunk = [];
      length = 0;
    }
    chunk.push({ service, operation });
    length += added;
  }
  if (chunk.length > 0) {
    yield chunk;
  }
}

/** Rows of `OperationDurations`, with the counts as pairs in `buckets`. */
export function durationCountsSql(
  operations: readonly Operation[],
  range: TimeRange,
  database: string,
  tenant: string,
): SqlQuery {
  const sql = `SELECT service, operation, spanKind, groupArray((bucket, toFloat64(n))) AS buckets FROM (
  SELECT service, name AS operation, kind AS spanKind, bucket, sum(calls) AS n
  FROM ${database}.span_metrics
  WHERE tenant = {tenant:String} AND minute BETWEEN {from:Int32} AND {to:Int32} AND service IN {services:Array(String)}
    AND (service, name) IN (SELECT arrayJoin(arrayZip({services:Array(String)}, {operations:Array(String)})))
  GROUP BY service, operation, spanKind, bucket
) GROUP BY service, operation, spanKind`;
  const parameters = {
    tenant,
    from: minuteOf(range.startUnixNano),
    to: minuteOf(range.endUnixNano),
    services: operations.map(({ service }) => service),
    operations: operations.map(({ operation }) => operation),
  };
  return { sql, parameters };
}
