/** Time zone of shown times: coordinated universal time, or the browser's zone. */
export type TimeZone = "utc" | "local";

interface ClockFields {
  date: string;
  clock: string;
}

const pad = (value: number, width: number) => String(value).padStart(width, "0");

function clockFields(us: number, zone: TimeZone): ClockFields {
  const at = new Date(Math.floor(us / 1_000));
  if (Number.isNaN(at.getTime())) {
    return { date: "–", clock: "–" };
  }
  const utc = zone === "utc";
  const date = [
    utc ? at.getUTCFullYear() : at.getFullYear(),
    pad((utc ? at.getUTCMonth() : at.getMonth()) + 1, 2),
    pad(utc ? at.getUTCDate() : at.getDate(), 2),
  ].join("-");
  const clock = [
    pad(utc ? at.getUTCHours() : at.getHours(), 2),
    pad(utc ? at.getUTCMinutes() : at.getMinutes(), 2),
    pad(utc ? at.getUTCSeconds() : at.getSeconds(), 2),
  ].join(":");
  return { date, clock };
}

/** The day of a time, `2026-11-21`. @param us microseconds since 1970 */
export function dateText(us: number, zone: TimeZone): string {
  return clockFields(us, zone).date;
}

/**
 * The time of day, `14:02:11.204`.
 * @param us microseconds since 1970
 * @param digits digits after the second: 3 (default) or 6
 */
export function clockText(us: number, zone: TimeZone, digits: 3 | 6 = 3): string {
  const { clock } = clockFields(us, zone);
  if (clock === "–") {
    return clock;
  }
  const fraction = pad(Math.floor(us) % 1_000_000, 6).slice(0, digits);
  return `${clock}.${fraction}`;
}

/** The name of the zone beside a time: `UTC`, or `UTC+2`, `UTC−3:30` for the browser's zone. */
export function zoneLabel(zone: TimeZone, at: Date): string {
  if (zone === "utc") {
    return "UTC";
  }
  const minutes = -at.getTimezoneOffset();
  const hours = Math.floor(Math.abs(minutes) / 60);
  const rest = Math.abs(minutes) % 60;
  return `UTC${minutes < 0 ? "−" : "+"}${hours}${rest === 0 ? "" : `:${pad(rest, 2)}`}`;
}

/** Text of a `datetime-local` field, `2026-11-21T14:02:11`, for a time in the given zone. */
export function dateTimeFieldText(us: number, zone: TimeZone): string {
  const { date, clock } = clockFields(us, zone);
  return `${date}T${clock}`;
}

/** The inverse of `dateTimeFieldText`. @returns microseconds since 1970, or undefined for an unfinished field */
export function parseDateTimeField(text: string, zone: TimeZone): number | undefined {
  if (!/^\d{4,}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(text)) {
    return undefined;
  }
  const ms = Date.parse(zone === "utc" ? `${text}Z` : text);
  return Number.isNaN(ms) ? undefined : ms * 1_000;
}
