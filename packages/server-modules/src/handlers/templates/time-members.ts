import { dayNames, formatGoTime, monthNames } from "server-core/go/go-time";
import { GoDuration, NamedNumber } from "./go-types.ts";

/** A time that is shown in UTC. Any other `Date` is shown in the zone of the machine, as Go's times are. */
export class UtcTime extends Date {}

/** Minutes east of Greenwich at which a time is shown. */
export function offsetOf(time: Date): number {
  return time instanceof UtcTime ? 0 : -time.getTimezoneOffset();
}

/** `2026-03-04 05:06:07.089 +0000 UTC`. Source: Go, package time, `Time.String` */
export function timeText(time: Date): string {
  return formatGoTime(time, "2006-01-02 15:04:05.999999999 -0700 MST", offsetOf(time));
}

const dayMs = 86_400_000;

/** Methods of a time in a template: `.Year`, `.Format "Jan 2"`, `.Unix`. Source: Go, package time */
export function timeMembers(time: Date): Readonly<Record<string, unknown>> {
  const ms = time.getTime();
  // A date whose UTC fields have the values of the zone.
  const shown = new Date(ms + offsetOf(time) * 60_000);
  const year = shown.getUTCFullYear();
  const like = (at: number) => (time instanceof UtcTime ? new UtcTime(at) : new Date(at));
  const moved = (years: unknown, months: unknown, days: unknown) => {
    const to = new Date(shown);
    to.setUTCFullYear(
      year + Number(years),
      shown.getUTCMonth() + Number(months),
      shown.getUTCDate() + Number(days),
    );
    return like(to.getTime() - offsetOf(time) * 60_000);
  };
  const stepped = (step: unknown, round: (value: number) => number) => {
    const size = Number(step) / 1e6;
    return like(size > 0 ? round(ms / size) * size : ms);
  };
  return {
    Year: () => year,
    Month: () => new NamedNumber(shown.getUTCMonth() + 1, monthNames[shown.getUTCMonth()] ?? ""),
    Day: () => shown.getUTCDate(),
    Hour: () => shown.getUTCHours(),
    Minute: () => shown.getUTCMinutes(),
    Second: () => shown.getUTCSeconds(),
    Nanosecond: () => shown.getUTCMilliseconds() * 1e6,
    Weekday: () => new NamedNumber(shown.getUTCDay(), dayNames[shown.getUTCDay()] ?? ""),
    YearDay: () => Math.floor((shown.getTime() - Date.UTC(year, 0, 1)) / dayMs) + 1,
    Unix: () => Math.floor(ms / 1000),
    UnixMilli: () => ms,
    UnixMicro: () => ms * 1e3,
    UnixNano: () => ms * 1e6,
    Format: (layout: unknown) => formatGoTime(time, String(layout), offsetOf(time)),
    String: () => timeText(time),
    Location: () => (time instanceof UtcTime ? "UTC" : Intl.DateTimeFormat().resolvedOptions().timeZone),
    UTC: () => new UtcTime(ms),
    Local: () => new Date(ms),
    IsZero: () => ms === zeroTime.getTime(),
    Before: (other: unknown) => ms < Number(other),
    After: (other: unknown) => ms > Number(other),
    Equal: (other: unknown) => ms === Number(other),
    Compare: (other: unknown) => Math.sign(ms - Number(other)),
    Sub: (other: unknown) => new GoDuration(ms - Number(other)),
    Add: (duration: unknown) => like(ms + Number(duration) / 1e6),
    AddDate: moved,
    Round: (step: unknown) => stepped(step, Math.round),
    Truncate: (step: unknown) => stepped(step, Math.floor),
  };
}

/** Go's time without a value: the first of January of the year 1. */
export const zeroTime: Date = new UtcTime("0001-01-01T00:00:00Z");
