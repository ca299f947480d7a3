import type { TimeRange } from "../../../api/analysis-reader.ts";
import type { Parameters } from "../search-sql.ts";

const minuteNano = 60_000_000_000n;

/** The spans among which copies are looked for. */
export interface CopiesIn {
  /** Time of the spans' starts, in whole minutes; undefined: all of the time. */
  readonly range: Partial<TimeRange> | undefined;
  readonly tenant: string;
}

/**
 * One row, `found`, when a span is known to be stored more than once; no row otherwise.
 * @param parameters receives those of the statement
 */
export function copiesSql(database: string, { range, tenant }: CopiesIn, parameters: Parameters): string {
  const minutes: string[] = [];
  parameters.tenant = tenant;
  for (const [name, comparison, unixNano] of [
    ["fromMinute", ">=", range?.startUnixNano],
    ["toMinute", "<=", range?.endUnixNano],
  ] as const) {
    const minute = unixNano === undefined ? undefined : Number(unixNano / minuteNano);
    // Beyond the numbers of minutes there is no bound.
    if (minute === undefined || Math.abs(minute) > 2 ** 31 - 1) {
      continue;
    }
    minutes.push(` AND minute ${comparison} {${name}:Int32}`);
    parameters[name] = minute;
  }
  return `SELECT 1 AS found FROM ${database}.repeated_spans WHERE tenant = {tenant:String}${minutes.join("")} LIMIT 1`;
}
