import type { TimeRange } from "../../../api/analysis-reader.ts";
import type { Parameters } from "../search-sql.ts";

const minuteNano = 60_000_000_000n;

/** The spans among which copies are searched. */
export interface CopiesIn {
  /** Time range of the spans' starts, in whole minutes. Undefined: no limit of time. */
  readonly range: Partial<TimeRange> | undefined;
  readonly tenant: string;
}

/** First and last minute of a time range. Absent: no bound. */
interface Minutes {
  readonly fromMinute?: number;
  readonly toMinute?: number;
}

/** Converts a time range to minutes. Bounds outside of the 32-bit minutes are dropped. */
export function minutesOf(range: Partial<TimeRange> | undefined): Minutes {
  const fromMinute = minuteOf(range?.startUnixNano);
  const toMinute = minuteOf(range?.endUnixNano);
  return {
    ...(fromMinute === undefined ? {} : { fromMinute }),
    ...(toMinute === undefined ? {} : { toMinute }),
  };
}

function minuteOf(unixNano: bigint | undefined): number | undefined {
  const minute = unixNano === undefined ? undefined : Number(unixNano / minuteNano);
  return minute === undefined || Math.abs(minute) > 2 ** 31 - 1 ? undefined : minute;
}

/**
 * SQL for one row, `found`, when a span is known to be stored more than once; otherwise for no row.
 * @param parameters receives the parameters of the statement
 */
export function copiesSql(database: string, { range, tenant }: CopiesIn, parameters: Parameters): string {
  const { fromMinute, toMinute } = minutesOf(range);
  const conditions = ["tenant = {tenant:String}"];
  parameters.tenant = tenant;
  if (fromMinute !== undefined) {
    conditions.push("minute >= {fromMinute:Int32}");
    parameters.fromMinute = fromMinute;
  }
  if (toMinute !== undefined) {
    conditions.push("minute <= {toMinute:Int32}");
    parameters.toMinute = toMinute;
  }
  return `SELECT 1 AS found FROM ${database}.repeated_spans WHERE ${conditions.join(" AND ")} LIMIT 1`;
}
