import { parseGoTime } from "server-core/go/parse-go-time";
import { TemplateError } from "./template-error.ts";
import { printed } from "./template-values.ts";

const sizeUnits = ["B", "kB", "MB", "GB", "TB", "PB", "EB"];

/** `2.0 MB`, in powers of 1,000. */
function sizeText(bytes: number): string {
  if (bytes < 10) {
    return `${Math.floor(bytes)} B`;
  }
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), sizeUnits.length - 1);
  const value = Math.floor((bytes / 1000 ** power) * 10 + 0.5) / 10;
  return `${value.toFixed(value < 10 ? 1 : 0)} ${sizeUnits[power]}`;
}

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const week = 7 * day;
const month = 30 * day;
const year = 12 * month;

/** Texts for time spans shorter than `below` seconds; `%` is the number of units. */
const spans: readonly (readonly [below: number, text: string, unit: number])[] = [
  [1, "now", 1],
  [2, "1 second", 1],
  [minute, "% seconds", 1],
  [2 * minute, "1 minute", 1],
  [hour, "% minutes", minute],
  [2 * hour, "1 hour", 1],
  [day, "% hours", hour],
  [2 * day, "1 day", 1],
  [week, "% days", day],
  [2 * week, "1 week", 1],
  [month, "% weeks", week],
  [2 * month, "1 month", 1],
  [year, "% months", month],
  [18 * month, "1 year", 1],
  [2 * year, "2 years", 1],
  [37 * year, "% years", year],
];

/** `26 years ago`, `3 days from now`. */
function timeText(seconds: number): string {
  const distance = Math.floor(Math.abs(seconds));
  const [, text, unit] = spans.find(([below]) => distance < below) ?? [0, "a long while", 1];
  const said = text.replace("%", String(Math.floor(distance / unit)));
  return said === "now" ? said : `${said} ${seconds < 0 ? "ago" : "from now"}`;
}

/**
 * Parses a time with a Go layout to milliseconds since 1970. Without a layout, the time has the form of mail headers or
 * ISO 8601. NaN for other text.
 */
function timeOf(text: string, layout: string): number {
  const found = parseGoTime(layout || "Mon, 02 Jan 2006 15:04:05 -0700", text, true);
  return found ?? (layout === "" ? Date.parse(text) : Number.NaN);
}

/**
 * The template function `humanize`: formats a number of bytes (`size`), or a time (`time`) relative to now.
 * @param now milliseconds since 1970
 * @throws TemplateError for another format
 * Source: Caddy 2.11, observed output
 */
export function humanize(format: string, value: unknown, now = Date.now()): string {
  const [kind = ""] = format.split(":", 1);
  if (kind === "size") {
    if (!/^\d+$/.test(printed(value))) {
      throw new TemplateError(`humanize: size cannot be parsed: ${JSON.stringify(printed(value))}`);
    }
    return sizeText(Number(value));
  }
  if (kind !== "time") {
    throw new TemplateError(`no know function was given to humanize: ${kind}`);
  }
  const time = typeof value === "number" ? value : timeOf(printed(value), format.slice("time:".length));
  if (Number.isNaN(time)) {
    throw new TemplateError(`humanize: time cannot be parsed: ${JSON.stringify(printed(value))}`);
  }
  return timeText((time - now) / 1000);
}
