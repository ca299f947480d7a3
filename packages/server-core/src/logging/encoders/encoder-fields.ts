import { z } from "zod";
import { formatGoDuration } from "../../go/go-duration.ts";
import { formatGoTime } from "../../go/go-time.ts";
import type { LogEntry, LogLevelName } from "../log-entry.ts";

/** Fields that all encoders share. Source: Caddy 2.11 */
export const encoderShape = {
  message_key: z.string().nullish().describe("Name of the message (msg); empty leaves it out."),
  level_key: z.string().nullish().describe("Name of the level (level); empty leaves it out."),
  time_key: z.string().nullish().describe("Name of the time (ts); empty leaves it out."),
  name_key: z.string().nullish().describe("Name of the logger (logger); empty leaves it out."),
  caller_key: z.string().nullish().describe("Name of the caller (caller); empty leaves it out."),
  stacktrace_key: z.string().nullish().describe("Name of the calls (stacktrace); empty leaves them out."),
  line_ending: z.string().nullish().describe("End of a line (a newline)."),
  time_format: z
    .string()
    .nullish()
    .describe(
      "unix_seconds_float, unix_milli_float, unix_nano, iso8601, rfc3339, rfc3339_nano, wall, wall_milli, wall_nano, common_log, or a layout of Go.",
    ),
  time_local: z.boolean().nullish().describe("Whether times are local, not UTC."),
  duration_format: z
    .enum(["", "s", "second", "seconds", "ns", "nano", "nanos", "ms", "milli", "millis", "string"])
    .nullish()
    .describe("Unit of durations (seconds)."),
  level_format: z.enum(["", "lower", "upper", "color"]).nullish().describe("How levels are written (lower)."),
};

const encoderSchema = z.strictObject(encoderShape);

export type EncoderConfig = z.infer<typeof encoderSchema>;

const layouts: Readonly<Record<string, string>> = {
  iso8601: "2006-01-02T15:04:05.000Z0700",
  rfc3339: "2006-01-02T15:04:05Z07:00",
  rfc3339_nano: "2006-01-02T15:04:05.999999999Z07:00",
  wall: "2006/01/02 15:04:05",
  wall_milli: "2006/01/02 15:04:05.000",
  wall_nano: "2006/01/02 15:04:05.000000000",
  common_log: "02/Jan/2006:15:04:05 -0700",
};

export function compileTime(format: string, local: boolean): (timeMs: number) => string | number {
  switch (format) {
    case "unix_seconds_float":
      return (timeMs) => Math.round(timeMs * 1000) / 1e6;
    case "unix_milli_float":
      return (timeMs) => timeMs;
    case "unix_nano":
      return (timeMs) => Math.round(timeMs * 1e6);
    default: {
      const layout = layouts[format] ?? format;
      // Caddy's ISO 8601 encoder ignores `time_local`.
      const isLocal = local || format === "iso8601";
      return (timeMs) => formatGoTime(timeMs, layout, isLocal ? -new Date(timeMs).getTimezoneOffset() : 0);
    }
  }
}

const colors: Readonly<Record<LogLevelName, number>> = {
  debug: 35,
  info: 34,
  warn: 33,
  error: 31,
  panic: 31,
  fatal: 31,
};

export function compileLevel(format: string): (level: LogLevelName) => string {
  switch (format) {
    case "upper":
      return (level) => level.toUpperCase();
    case "color":
      return (level) => `\x1b[${colors[level]}m${level.toUpperCase()}\x1b[0m`;
    default:
      return (level) => level;
  }
}

/** Compiles the format of durations, which are in seconds in entries. */
function compileDuration(format: string): (seconds: number) => number | string {
  switch (format.charAt(0)) {
    case "n":
      return (seconds) => Math.round(seconds * 1e9);
    case "m":
      return (seconds) => Math.round(seconds * 1e9) / 1e6;
    default:
      return format === "string" ? (seconds) => formatGoDuration(seconds * 1000) : (seconds) => seconds;
  }
}

/** Compiles the conversion of an entry's fields: durations get the configured format. */
export function compileFields(config: EncoderConfig): (entry: LogEntry) => LogEntry["fields"] {
  const format = config.duration_format ?? "";
  if (/^(?:s|seconds?)?$/.test(format)) {
    return (entry) => entry.fields;
  }
  const write = compileDuration(format);
  return ({ fields }) =>
    typeof fields.duration === "number" ? { ...fields, duration: write(fields.duration) } : fields;
}
