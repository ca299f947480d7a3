import { parseGoDuration } from "lifecycle";
import { formatGoDuration } from "server-core/go/go-duration";
import { formatGoTime } from "server-core/go/go-time";
import { parseGoTime } from "server-core/go/parse-go-time";
import type { TemplateFunction } from "./evaluate-template.ts";
import { GoDuration } from "./go-types.ts";
import { TemplateError } from "./template-error.ts";
import { printed } from "./template-values.ts";
import { UtcTime, zeroTime } from "./time-members.ts";

/** Reads a time, or seconds since 1970. Anything else is now, as in sprig. */
function timeOf(value: unknown): Date {
  return value instanceof Date ? value : new Date(typeof value === "number" ? value * 1000 : Date.now());
}

/** Parses a duration with an optional sign, such as `-1h30m`, to milliseconds; undefined for other text. */
function durationMs(text: string): number | undefined {
  const ms = parseGoDuration(text.replace(/^[+-]/, ""));
  return ms === undefined ? undefined : text.startsWith("-") ? -ms : ms;
}

/** Minutes east of Greenwich in a zone of the database, such as `Europe/Berlin`; 0 for an unknown zone. */
function offsetIn(zone: string, time: Date): number {
  if (zone === "Local") {
    return -time.getTimezoneOffset();
  }
  try {
    const parts = new Intl.DateTimeFormat("en", { timeZone: zone || "UTC", timeZoneName: "longOffset" });
    const name = parts.formatToParts(time).find(({ type }) => type === "timeZoneName")?.value ?? "";
    const [, sign, hours = "0", minutes = "0"] = /([+-])(\d+):(\d+)/.exec(name) ?? [];
    return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  } catch {
    return 0;
  }
}

function dateInZone(layout: unknown, value: unknown, zone: unknown): string {
  const time = timeOf(value);
  return formatGoTime(time, printed(layout), offsetIn(printed(zone), time));
}

const date = (layout: unknown, value: unknown): string => dateInZone(layout, value, "Local");
const day = "2006-01-02";

function moved(change: unknown, value: unknown, isStrict: boolean): Date {
  const time = timeOf(value);
  const ms = durationMs(printed(change));
  if (ms === undefined) {
    if (isStrict) {
      throw new TemplateError(`invalid duration ${JSON.stringify(printed(change))}`);
    }
    return time;
  }
  const to = time.getTime() + ms;
  return time instanceof UtcTime ? new UtcTime(to) : new Date(to);
}

function toDate(layout: unknown, text: unknown, isStrict: boolean): Date {
  const ms = parseGoTime(printed(layout), printed(text));
  if (ms !== undefined) {
    return new Date(ms);
  }
  if (isStrict) {
    throw new TemplateError(
      `${JSON.stringify(printed(text))} is no time of the layout ${JSON.stringify(printed(layout))}`,
    );
  }
  return zeroTime;
}

const units: readonly (readonly [name: string, seconds: number])[] = [
  ["y", 365 * 86_400],
  ["mo", 30 * 86_400],
  ["d", 86_400],
  ["h", 3600],
  ["m", 60],
  ["s", 1],
];

/**
 * Rounds a duration down to its largest unit: `2h`. A text is read as a duration, a number as nanoseconds. For a time,
 * the duration since then is used.
 */
function durationRound(value: unknown): string {
  const ms =
    value instanceof Date
      ? Date.now() - value.getTime()
      : typeof value === "string"
        ? (durationMs(value) ?? 0)
        : Number(value) / 1e6 || 0;
  const seconds = Math.abs(ms) / 1000;
  const unit = units.find(([, size]) => seconds > size);
  return unit === undefined ? "0s" : `${Math.floor(seconds / unit[1])}${unit[0]}`;
}

/** Functions of the library sprig for times. Source: masterminds.github.io/sprig, "Date Functions" */
export const sprigDates: Readonly<Record<string, TemplateFunction>> = {
  now: () => new Date(),
  date,
  dateInZone,
  date_in_zone: dateInZone,
  htmlDate: (value: unknown) => date(day, value),
  htmlDateInZone: (value: unknown, zone: unknown) => dateInZone(day, value, zone),
  dateModify: (change: unknown, value: unknown) => moved(change, value, false),
  date_modify: (change: unknown, value: unknown) => moved(change, value, false),
  mustDateModify: (change: unknown, value: unknown) => moved(change, value, true),
  must_date_modify: (change: unknown, value: unknown) => moved(change, value, true),
  toDate: (layout: unknown, text: unknown) => toDate(layout, text, false),
  mustToDate: (layout: unknown, text: unknown) => toDate(layout, text, true),
  unixEpoch: (value: unknown) => String(Math.floor(timeOf(value).getTime() / 1000)),
  ago: (value: unknown) =>
    new GoDuration(Math.round((Date.now() - timeOf(value).getTime()) / 1000) * 1000).toString(),
  duration: (seconds: unknown) => formatGoDuration(Math.trunc(Number(seconds) || 0) * 1000),
  durationRound,
};
