import { dayNames, layoutElements, monthNames } from "./go-time.ts";

/** Parts of a time that a text gave. */
interface ReadTime {
  /** Year, such as 2006. Default: 0, as in Go. */
  year: number;
  /** Month from 1 to 12. */
  month: number;
  /** Day of the month from 1. */
  day: number;
  /** Day of the year from 1, if the layout contains it; it replaces month and day. */
  yearDay: number | undefined;
  /** Hour from 0; 0 to 12 if the layout contains `PM`. */
  hour: number;
  /** Minute from 0 to 59. */
  minute: number;
  /** Second from 0 to 59. */
  second: number;
  /** Milliseconds within the second. */
  ms: number;
  /** `am` or `pm`, if the text contains either. */
  half: string | undefined;
  /** Minutes east of Greenwich; undefined if the text has no zone. */
  offset: number | undefined;
}

type Reader = readonly [pattern: RegExp, read: (text: string, time: ReadTime) => void];

const numberOf = (
  pattern: RegExp,
  field: "year" | "month" | "day" | "hour" | "minute" | "second",
): Reader => [
  pattern,
  (text, time) => {
    time[field] = Number(text);
  },
];

const nameOf = (names: readonly string[], length: number | undefined, isMonth: boolean): Reader => [
  new RegExp(names.map((name) => name.slice(0, length)).join("|"), "iy"),
  (text, time) => {
    if (isMonth) {
      time.month = names.findIndex((name) => name.slice(0, length).toLowerCase() === text.toLowerCase()) + 1;
    }
  },
];

const zone = (pattern: RegExp): Reader => [
  pattern,
  (text, time) => {
    const [, sign, hours = "0", minutes = "0"] = /^([+-])(\d\d):?(\d\d)?$/.exec(text) ?? [];
    time.offset = (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  },
];

const half: Reader = [
  /am|pm/iy,
  (text, time) => {
    time.half = text.toLowerCase();
  },
];

const yearDay: Reader = [
  /[ \d]{0,2}\d/y,
  (text, time) => {
    time.yearDay = Number(text);
  },
];

const readers: Readonly<Record<string, Reader>> = {
  January: nameOf(monthNames, undefined, true),
  Jan: nameOf(monthNames, 3, true),
  Monday: nameOf(dayNames, undefined, false),
  Mon: nameOf(dayNames, 3, false),
  MST: [
    /[A-Z]{3,4}|[+-]\d\d/y,
    (text, time) => {
      // Go gives an abbreviation that it does not know the offset 0.
      time.offset = /^[+-]/.test(text) ? Number(text) * 60 : 0;
    },
  ],
  "002": yearDay,
  __2: yearDay,
  "2006": numberOf(/\d{4}/y, "year"),
  "06": [
    /\d\d/y,
    (text, time) => {
      time.year = Number(text) + (Number(text) >= 69 ? 1900 : 2000);
    },
  ],
  "Z07:00": zone(/Z|[+-]\d\d:\d\d/y),
  Z0700: zone(/Z|[+-]\d{4}/y),
  "-07:00": zone(/[+-]\d\d:\d\d/y),
  "-0700": zone(/[+-]\d{4}/y),
  "-07": zone(/[+-]\d\d/y),
  "01": numberOf(/\d\d/y, "month"),
  "1": numberOf(/\d\d?/y, "month"),
  "02": numberOf(/\d\d/y, "day"),
  "2": numberOf(/\d\d?/y, "day"),
  _2: numberOf(/ ?\d\d?/y, "day"),
  "15": numberOf(/\d\d/y, "hour"),
  "03": numberOf(/\d\d/y, "hour"),
  "3": numberOf(/\d\d?/y, "hour"),
  "04": numberOf(/\d\d/y, "minute"),
  "4": numberOf(/\d\d?/y, "minute"),
  "05": numberOf(/\d\d/y, "second"),
  "5": numberOf(/\d\d?/y, "second"),
  PM: half,
  pm: half,
};

const fraction = /[.,]\d+/y;

/** The text that a sticky pattern matches at a position; undefined when it does not match. */
function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function msOf({
  year,
  month,
  day,
  yearDay,
  minute,
  second,
  ms,
  offset,
  ...time
}: ReadTime): number | undefined {
  const hour = time.half === undefined ? time.hour : (time.hour % 12) + (time.half === "pm" ? 12 : 0);
  const date = new Date(0);
  const fields = yearDay === undefined ? ([year, month - 1, day] as const) : ([year, 0, yearDay] as const);
  if (offset === undefined) {
    date.setFullYear(...fields);
    date.setHours(hour, minute, second, ms);
  } else {
    date.setUTCFullYear(...fields);
    date.setUTCHours(hour, minute, second, ms);
  }
  // The 30th of February would be a day of March.
  const found = offset === undefined ? date.getDate() : date.getUTCDate();
  const isDay = yearDay === undefined ? month >= 1 && month <= 12 && found === day : yearDay <= 366;
  const isTime = hour < 24 && minute < 60 && second < 60;
  return isDay && isTime ? date.getTime() - (offset ?? 0) * 60_000 : undefined;
}

/**
 * Reads a time by a layout of Go: `parseGoTime("2006-01-02", "2020-02-28")`. A text without a zone is in the machine's
 * zone.
 * @param isUtc true: a text without a zone is in UTC instead
 * @returns milliseconds since 1970; undefined when the text does not fit the layout, or the day does not exist
 * Source: Go, package time, `ParseInLocation`
 */
export function parseGoTime(layout: string, text: string, isUtc = false): number | undefined {
  const time: ReadTime = {
    year: 0,
    month: 1,
    day: 1,
    yearDay: undefined,
    hour: 0,
    minute: 0,
    second: 0,
    ms: 0,
    half: undefined,
    offset: isUtc ? 0 : undefined,
  };
  let at = 0;
  let from = 0;
  for (const { index, 0: element } of layout.matchAll(layoutElements)) {
    const literal = layout.slice(from, index);
    if (!text.startsWith(literal, at)) {
      return undefined;
    }
    at += literal.length;
    from = index + element.length;
    const isFraction = /^[.,]/.test(element);
    const [pattern, read] = isFraction ? [fraction, undefined] : (readers[element] ?? []);
    const found = pattern === undefined ? undefined : matchAt(pattern, text, at);
    if (found !== undefined) {
      at += found.length;
      read?.(found, time);
    } else if (!/^[.,]9/.test(element)) {
      return undefined;
    }
    // Go reads a fraction after the seconds even if the layout has none.
    const rest = isFraction
      ? found
      : element === "05" || element === "5"
        ? matchAt(fraction, text, at)
        : undefined;
    if (rest !== undefined) {
      time.ms = Math.floor(Number(`0.${rest.slice(1)}`) * 1000);
      at += isFraction || /^[.,][09]/.test(layout.slice(from)) ? 0 : rest.length;
    }
  }
  return text.slice(at) === layout.slice(from) ? msOf(time) : undefined;
}
