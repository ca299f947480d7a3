import { parseGoDuration } from "lifecycle/go-duration";
import { CliError } from "./cli-error.ts";
import type { OptionValues } from "./command.ts";

/** Milliseconds since the Unix epoch, from `startMs` to before `endMs`. */
export interface TimeRange {
  /** The first millisecond that belongs to the range. */
  readonly startMs: number;
  /** The first millisecond after the range. */
  readonly endMs: number;
}

/** The latest time that a `Date` can hold. */
const maxMs = 8.64e15;

/**
 * Reads a duration as Go writes it, and days: `90s`, `1h30m`, `1.5d`. Days cannot be combined with other units:
 * `1d12h` is refused.
 * @param option names the option in the error
 * @returns milliseconds, more than 0
 * @throws CliError with exit code 2
 */
export function durationMsOf(text: string, option: string): number {
  const days = /^(\d{1,6}(?:\.\d+)?)d$/.exec(text)?.[1];
  const ms = days === undefined ? parseGoDuration(text) : Number(days) * 86_400_000;
  if (ms === undefined || !(ms > 0)) {
    throw new CliError(
      `--${option}: ${JSON.stringify(text)} is no duration such as 90s, 15m, 1h30m or 7d`,
      2,
    );
  }
  return ms;
}

/**
 * Reads seconds since the Unix epoch, or a date in a form that `Date.parse` accepts.
 * @throws CliError with exit code 2
 */
export function timeMsOf(text: string, option: string): number {
  const ms = /^\d{1,11}(?:\.\d+)?$/.test(text) ? Number(text) * 1_000 : Date.parse(text);
  if (!(ms >= 0 && ms <= maxMs)) {
    throw new CliError(
      `--${option}: ${JSON.stringify(text)} is no time such as 2026-01-31T12:00:00Z or 1769860800`,
      2,
    );
  }
  return ms;
}

/**
 * The time range of `timeOptions`: `--start` to `--end`. Without `--start`, the range begins `--since` before its end.
 * @param nowMs the end when `--end` is missing
 * @throws CliError with exit code 2 when the beginning is not before the end
 */
export function timeRangeOf(values: OptionValues, nowMs = Date.now()): TimeRange {
  const end = values.text("end");
  const endMs = end === "" ? nowMs : timeMsOf(end, "end");
  const start = values.text("start");
  const startMs =
    start === "" ? endMs - durationMsOf(values.text("since"), "since") : timeMsOf(start, "start");
  if (startMs >= endMs) {
    throw new CliError("the beginning is not before the end", 2);
  }
  return { startMs: Math.max(0, startMs), endMs };
}

/** A whole number of an option, from 1 to `most`. @throws CliError with exit code 2 for any other text */
export function countOf(values: OptionValues, option: string, most: number): number {
  const text = values.text(option);
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > most) {
    throw new CliError(`--${option}: ${JSON.stringify(text)} is no whole number from 1 to ${most}`, 2);
  }
  return count;
}
