import pino, { type Logger } from "pino";
import pretty from "pino-pretty";
import { type LogLevel, logLevels } from "./log-levels.ts";

import { activeSpan } from "./tracing/own-span.ts";

export type { Logger };
export { type LogLevel, logLevels };

export interface LoggerSettings {
  /** Name of the process; field `name` of each line. */
  readonly name: string;
  readonly level: LogLevel;
  /** `auto`: console on a terminal, otherwise json. */
  readonly encoding: "auto" | "json" | "console";
}

const stderrFd = 2;

/** The trace that a line belongs to, by the names that Grafana and OpenTelemetry look for. */
function traceIds(): object {
  const context = activeSpan()?.context;
  return context === undefined ? {} : { trace_id: context.traceId, span_id: context.spanId };
}

/**
 * The log of a process, on standard error: JSON lines with ISO times, or readable lines on a terminal.
 * Lines of a traced request carry `trace_id` and `span_id`. Colour only on a terminal, or where FORCE_COLOR is set; never where NO_COLOR is set.
 */
export function createLogger({ name, level, encoding }: LoggerSettings): Logger {
  const isTerminal = process.stderr.isTTY === true;
  const timestamp = pino.stdTimeFunctions.isoTime;
  const options = { name, level, base: { name }, timestamp, mixin: traceIds };
  if (encoding === "console" || (encoding === "auto" && isTerminal)) {
    const { NO_COLOR, FORCE_COLOR } = process.env;
    const colorize = (isTerminal || (FORCE_COLOR ?? "") !== "") && (NO_COLOR ?? "") === "";
    return pino(
      options,
      pretty({
        sync: true,
        destination: stderrFd,
        colorize,
        ignore: "pid,hostname,name",
        translateTime: "SYS:HH:MM:ss.l",
        singleLine: true,
      }),
    );
  }
  return pino(
    { ...options, formatters: { level: (label) => ({ level: label }) } },
    pino.destination({ fd: stderrFd, sync: true }),
  );
}
