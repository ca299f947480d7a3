/** Months in English, January first. */
export const monthNames = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
/** Days of the week in English, Sunday first. */
export const dayNames = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

const two = (value: number) => String(value).padStart(2, "0");

/** Parts of a time that a layout may contain. */
interface TimeParts {
  /** The time to the millisecond, shifted by `offset`: its UTC fields contain the local time. */
  readonly date: Date;
  /** Nanoseconds within the millisecond. */
  readonly nanos: number;
  /** Minutes east of Greenwich. */
  readonly offset: number;
}

function zone(offset: number, colon: boolean): string {
  const minutes = Math.abs(offset);
  const sign = offset < 0 ? "-" : "+";
  return `${sign}${two(Math.floor(minutes / 60))}${colon ? ":" : ""}${two(minutes % 60)}`;
}

const dayMs = 86_400_000;

/** Day of the year; 1 for the first of January. */
function dayOfYear(date: Date): number {
  const year = date.getUTCFullYear();
  return (Date.UTC(year, date.getUTCMonth(), date.getUTCDate()) - Date.UTC(year, 0, 1)) / dayMs + 1;
}

const hour12 = (date: Date) => date.getUTCHours() % 12 || 12;

const elements: readonly (readonly [layout: string, write: (time: TimeParts) => string])[] = [
  ["January", ({ date }) => monthNames[date.getUTCMonth()] ?? ""],
  ["Jan", ({ date }) => (monthNames[date.getUTCMonth()] ?? "").slice(0, 3)],
  ["Monday", ({ date }) => dayNames[date.getUTCDay()] ?? ""],
  ["Mon", ({ date }) => (dayNames[date.getUTCDay()] ?? "").slice(0, 3)],
  ["MST", ({ offset }) => (offset === 0 ? "UTC" : zone(offset, false))],
  ["002", ({ date }) => String(dayOfYear(date)).padStart(3, "0")],
  ["__2", ({ date }) => String(dayOfYear(date)).padStart(3)],
  ["2006", ({ date }) => String(date.getUTCFullYear()).padStart(4, "0")],
  ["Z07:00", ({ offset }) => (offset === 0 ? "Z" : zone(offset, true))],
  ["Z0700", ({ offset }) => (offset === 0 ? "Z" : zone(offset, false))],
  ["-07:00", ({ offset }) => zone(offset, true)],
  ["-0700", ({ offset }) => zone(offset, false)],
  ["-07", ({ offset }) => zone(offset, false).slice(0, 3)],
  ["01", ({ date }) => two(date.getUTCMonth() + 1)],
  ["02", ({ date }) => two(date.getUTCDate())],
  ["03", ({ date }) => two(hour12(date))],
  ["04", ({ date }) => two(date.getUTCMinutes())],
  ["05", ({ date }) => two(date.getUTCSeconds())],
  ["06", ({ date }) => two(date.getUTCFullYear() % 100)],
  ["15", ({ date }) => two(date.getUTCHours())],
  ["_2", ({ date }) => String(date.getUTCDate()).padStart(2)],
  ["PM", ({ date }) => (date.getUTCHours() < 12 ? "AM" : "PM")],
  ["pm", ({ date }) => (date.getUTCHours() < 12 ? "am" : "pm")],
  ["1", ({ date }) => String(date.getUTCMonth() + 1)],
  ["2", ({ date }) => String(date.getUTCDate())],
  ["3", ({ date }) => String(hour12(date))],
  ["4", ({ date }) => String(date.getUTCMinutes())],
  ["5", ({ date }) => String(date.getUTCSeconds())],
];

const writers = new Map(elements);
/** Finds the elements of a layout: `2006`, `Jan`, `.000`. */
export const layoutElements = new RegExp(
  `[.,][09]{1,9}(?!\\d)|${elements.map(([layout]) => layout).join("|")}`,
  "g",
);

function fraction({ date, nanos }: TimeParts, layout: string): string {
  const digits = String(date.getUTCMilliseconds() * 1_000_000 + nanos)
    .padStart(9, "0")
    .slice(0, layout.length - 1);
  if (layout[1] === "0") {
    return layout.charAt(0) + digits;
  }
  const trimmed = digits.replace(/0+$/, "");
  return trimmed === "" ? "" : layout.charAt(0) + trimmed;
}

/**
 * Formats a time by a Go layout, which shows how 2006-01-02 15:04:05 would be written.
 * @param time a date, or milliseconds since 1970 with a fraction
 * @param offset minutes east of Greenwich; UTC by default
 * Source: Go, package time, "Layout"
 */
export function formatGoTime(time: Date | number, layout: string, offset = 0): string {
  const ms = Number(time);
  const whole = Math.floor(ms);
  // A double with milliseconds since 1970 is exact to microseconds only.
  const nanos = Math.min(999, Math.round((ms - whole) * 1_000)) * 1_000;
  const parts: TimeParts = { date: new Date(whole + offset * 60_000), nanos, offset };
  return layout.replace(layoutElements, (element) =>
    /^[.,]/.test(element) ? fraction(parts, element) : (writers.get(element)?.(parts) ?? element),
  );
}
