import pino, { type Logger, type LoggerOptions } from "pino";
import pretty from "pino-pretty";
import { type LogLevel, logLevels } from "./log-levels.ts";
import { activeSpan } from "./own-span.ts";
import { RepeatedLines } from "./repeated-lines.ts";
import { withoutControls } from "./without-controls.ts";

export type { Logger };
export { type LogLevel, logLevels };

/** Settings of a process's log. */
export interface LoggerSettings {
  /** Name of the process, which is the field `name` of each line. */
  readonly name: string;
  /** Lines below this level are not written. */
  readonly level: LogLevel;
  /** `auto`: console if standard error is a terminal, otherwise json. */
  readonly encoding: "auto" | "json" | "console";
  /** Is called first with each line, as JSON. If it returns true, the line is not written to standard error. */
  readonly take?: (line: string) => boolean;
}

interface LineStream {
  write(line: string): unknown;
  flushSync?(): void;
}

/** Writes only the lines for which `take` returns false. */
function untaken(out: LineStream, take: LoggerSettings["take"]): LineStream {
  return take === undefined
    ? out
    : {
        write: (line) => take(line) || out.write(line),
        flushSync: () => out.flushSync?.(),
      };
}

const stderrFd = 2;

/**
 * Level numbers of pino. Lines below `warnLevel` are never skipped. `fatal` lines are not skipped either, because they
 * have the reason why the process ends.
 */
const warnLevel = 40;
const fatalLevel = 60;
/** If a warning or error occurs more often than this within ten seconds, it is only counted. */
const mostRepeats = 20;
const repeatWindowMs = 10_000;

/** The message in the arguments of a log call, which are `(message)` or `({ …fields }, message)`. */
function messageOf([first, second]: readonly unknown[]): string | undefined {
  const message = typeof first === "string" ? first : second;
  return typeof message === "string" ? message : undefined;
}

/** Settings of a log that limits repeated warnings and errors. @param log returns the log, after it was created */
function withoutRepeats(log: () => Logger): Pick<LoggerOptions, "hooks"> {
  const repeats = new RepeatedLines({
    most: mostRepeats,
    windowMs: repeatWindowMs,
    onHeldBack: (message, count, level) => {
      const fields = { message, held_back: count };
      const text = `the same line ${count} more times in ${repeatWindowMs / 1_000} s`;
      level > warnLevel ? log().error(fields, text) : log().warn(fields, text);
    },
  });
  return {
    hooks: {
      logMethod(args, method, level) {
        const message = level >= warnLevel && level < fatalLevel ? messageOf(args) : undefined;
        if (message === undefined || repeats.passes(message, level)) {
          method.apply(this, args);
        }
      },
    },
  };
}

/** IDs of the trace of a log line, under the names that Grafana and OpenTelemetry use. */
function traceIds(): object {
  const context = activeSpan()?.context;
  return context === undefined ? {} : { trace_id: context.traceId, span_id: context.spanId };
}

/**
 * The log of a process on standard error: JSON lines with ISO times, or readable lines on a terminal. Lines of a traced
 * request have `trace_id` and `span_id`. The same warning or error is logged at most 20 times in ten seconds;
 * afterwards, one line has the number of skipped lines. Colours are used on a terminal and when FORCE_COLOR is set, but
 * never when NO_COLOR is set.
 */
export function createLogger({ name, level, encoding, take }: LoggerSettings): Logger {
  let log: Logger;
  const isTerminal = process.stderr.isTTY === true;
  const timestamp = pino.stdTimeFunctions.isoTime;
  const options = {
    name,
    level,
    base: { name },
    timestamp,
    mixin: traceIds,
    ...withoutRepeats(() => log),
  };
  if (encoding === "console" || (encoding === "auto" && isTerminal)) {
    const { NO_COLOR, FORCE_COLOR } = process.env;
    const colorize = (isTerminal || (FORCE_COLOR ?? "") !== "") && (NO_COLOR ?? "") === "";
    log = pino(
      { ...options, hooks: { ...options.hooks, streamWrite: withoutControls } },
      untaken(
        pretty({
          sync: true,
          destination: stderrFd,
          colorize,
          ignore: "pid,hostname,name",
          translateTime: "SYS:HH:MM:ss.l",
          singleLine: true,
          // A message may contain text from an untrusted sender. A second line in it must not look like a separate line
          // of the log.
          messageFormat: (entry, key) => String(entry[key] ?? "").replaceAll("\n", "\\n"),
        }),
        take,
      ),
    );
    return log;
  }
  log = pino(
    { ...options, formatters: { level: (label) => ({ level: label }) } },
    untaken(pino.destination({ fd: stderrFd, sync: true }), take),
  );
  return log;
}
