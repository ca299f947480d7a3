import type { TimeRange } from "storage/api";
import { z } from "zod";
import { parseDurationNano } from "../go-text/go-duration.ts";
import { parseTimeNano } from "../go-text/rfc3339.ts";
import { timeRangeOf } from "../http/analysis/span-filter.ts";
import { QueryError } from "../query-error.ts";
import type { ToolContext } from "./tool.ts";

/** Arguments for a time range, with the names of Jaeger's tools. */
export const timeArguments = {
  start_time_min: z
    .string()
    .max(100)
    .default("-1h")
    .describe("Start of the time: RFC 3339, or relative to now: -15m, -1h, -24h."),
  start_time_max: z.string().max(100).default("now").describe("End of the time, in the same form."),
};

/** `now`, `now-1h`, `-1h` and "": relative to the time of the call. Everything else is RFC 3339. */
const relative = /^(?:now)?\s*([-+].+)?$/;

/**
 * Reads a time from the arguments.
 *
 * ```
 * "-1h"                    an hour ago
 * "-7d"                    a week ago
 * "2026-01-31T09:30:00Z"   that moment
 * ```
 *
 * @returns nanoseconds since the Unix epoch
 * @throws QueryError QUERY_BAD_PARAMETER that shows both forms
 */
function timeOf(name: string, text: string, nowMs: number): bigint {
  const nowNano = BigInt(nowMs) * 1_000_000n;
  const trimmed = text.trim();
  const [isRelative, offset] = relative.exec(trimmed) ?? [];
  try {
    if (isRelative === undefined) {
      return parseTimeNano(trimmed);
    }
    return offset === undefined ? nowNano : nowNano + parseDurationNano(withDays(offset));
  } catch (error) {
    throw new QueryError(
      "QUERY_BAD_PARAMETER",
      `${name} is neither RFC 3339, such as 2026-01-31T09:30:00Z, nor relative, such as -1h: ${JSON.stringify(text)}`,
      { parameter: name, cause: error },
    );
  }
}

/** Converts days and weeks to hours, because Go's durations have no longer unit: "-7d" becomes "-168h". */
function withDays(text: string): string {
  const [, sign, count, unit] = /^([-+])(\d{1,5})([dw])$/.exec(text) ?? [];
  return count === undefined ? text : `${sign}${Number(count) * (unit === "d" ? 24 : 168)}h`;
}

/** @throws QueryError QUERY_BAD_PARAMETER, also for a range longer than --query.max-time-range */
export function rangeOfArguments(
  args: { readonly start_time_min: string; readonly start_time_max: string },
  { nowMs, limits }: Pick<ToolContext, "nowMs" | "limits">,
): TimeRange {
  const start = Number(timeOf("start_time_min", args.start_time_min, nowMs) / 1_000n);
  const end = Number(timeOf("start_time_max", args.start_time_max, nowMs) / 1_000n);
  return timeRangeOf({ start, end }, nowMs, limits);
}

/** Nanoseconds as RFC 3339 with microseconds, in UTC. */
export function timeText(unixNano: bigint): string {
  const micros = unixNano / 1_000n;
  const rest = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const date = new Date(Number((micros - rest) / 1_000n));
  return Number.isNaN(date.getTime())
    ? String(unixNano)
    : `${date.toISOString().slice(0, -5)}.${String(rest).padStart(6, "0")}Z`;
}
