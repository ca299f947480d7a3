import { QueryError } from "../query-error.ts";
import { quote } from "./quote.ts";

const layout = "2006-01-02T15:04:05.999999999Z07:00";
const pattern = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:[.,](\d+))?(Z|[+-]\d{2}:\d{2})$/;

/** The parts of the layout, each with a pattern for its text. */
const parts: readonly [name: string, pattern: RegExp][] = [
  ["2006", /^\d{4}/],
  ["-", /^-/],
  ["01", /^\d{2}/],
  ["-", /^-/],
  ["02", /^\d{2}/],
  ["T", /^T/],
  ["15", /^\d{2}/],
  [":", /^:/],
  ["04", /^\d{2}/],
  [":", /^:/],
  ["05", /^\d{2}(?:[.,]\d+)?/],
  ["Z07:00", /^(?:Z|[+-]\d{2}:\d{2})/],
];

/** Finds the first mismatch between text and layout, and reports it in the words of Go's time.Parse. */
function mismatch(text: string): string {
  let rest = text;
  for (const [name, one] of parts) {
    const found = one.exec(rest)?.[0];
    if (found === undefined) {
      return `cannot parse ${quote(rest)} as ${quote(name)}`;
    }
    rest = rest.slice(found.length);
  }
  return `extra text: ${quote(rest)}`;
}

/**
 * Parses a time such as `2026-11-21T12:00:00.5Z`.
 * @returns nanoseconds since the Unix epoch, within 64 bits signed
 * @throws QueryError QUERY_BAD_PARAMETER in the words of Go's time.Parse
 * Source: RFC 3339
 */
export function parseTimeNano(text: string): bigint {
  const match = pattern.exec(text);
  if (match === null) {
    const reason = mismatch(text);
    throw new QueryError(
      "QUERY_BAD_PARAMETER",
      reason.startsWith("extra")
        ? `parsing time ${quote(text)}: ${reason}`
        : `parsing time ${quote(text)} as ${quote(layout)}: ${reason}`,
    );
  }
  const [, year = "", month = "", day = "", hour = "", minute = "", second = "", fraction = "", zone = ""] =
    match;
  // `Date` reads 30 February as 2 March, so the day is checked by hand.
  const days = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  const [, zoneHour = "0", zoneMinute = "0"] = /(\d{2}):(\d{2})/.exec(zone) ?? [];
  // Checked in this order, so that the reported fault is the same as in Go.
  const ranges: readonly [name: string, value: string, min: number, max: number][] = [
    ["month", month, 1, 12],
    ["hour", hour, 0, 23],
    ["minute", minute, 0, 59],
    ["second", second, 0, 59],
    ["time zone offset hour", zoneHour, 0, 24],
    ["time zone offset minute", zoneMinute, 0, 60],
    ["day", day, 1, days],
  ];
  const wrong = ranges.find(([, value, min, max]) => Number(value) < min || Number(value) > max)?.[0];
  if (wrong !== undefined) {
    throw new QueryError("QUERY_BAD_PARAMETER", `parsing time ${quote(text)}: ${wrong} out of range`);
  }
  const offsetMs = (Number(zoneHour) * 60 + Number(zoneMinute)) * (zone.startsWith("-") ? -60_000 : 60_000);
  const unixMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`) - offsetMs;
  const nano = BigInt(unixMs) * 1_000_000n + BigInt(fraction.slice(0, 9).padEnd(9, "0"));
  return BigInt.asIntN(64, nano) === nano ? nano : nano < 0n ? -(2n ** 63n) : 2n ** 63n - 1n;
}
