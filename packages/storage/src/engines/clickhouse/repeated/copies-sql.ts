import type { TimeRange } from "../../../api/analysis-reader.ts";
import type { Parameters } from "../search-sql.ts";

const minuteNano = 60_000_000_000n;

/** The spans among which copies are looked for. */
export interface CopiesIn {
  /** Time of the spans' starts, in whole minutes; undefined: all of the time. */
  readonly range: Partial<TimeRange> | undefined;
  readonly tenant: string;
}

/** The first and the last minute of a time; absent where there is no bound. */
interface Minutes {
  readonly fromMinute?: number;
  readonly toMinute?: number;
}

/** The minutes of a time. Beyond the numbers of minutes there is no bound. */
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
 * One row, `found`, when a span is known to be stored more than once; no row otherwise.
 * @param parameters receives those of the statement
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
