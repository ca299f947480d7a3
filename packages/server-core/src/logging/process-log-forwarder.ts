import type { Logger } from "lifecycle";
import type { ResourceKind, SharedResource } from "../modules/usage-pool.ts";
import { type LogEntry, type LogLevelName, levelNames, levelRank, parseLevel } from "./log-entry.ts";

/** Name of the logger of the server's own lines. */
export const ownLogger = "server";

/** Converts a level of the process log: a number from 10 for trace to 60 for fatal, or a name. */
function levelOf(value: unknown): LogLevelName {
  const name =
    typeof value === "number" ? (["debug", ...levelNames][value / 10 - 1] ?? "info") : String(value);
  // Caddy's level panic lies between error and fatal; the numeric levels have no equivalent.
  return typeof value === "number" && value >= 50
    ? value >= 60
      ? "fatal"
      : "error"
    : (parseLevel(name) ?? "info");
}

/** The logs of a config, for lines of the server itself. */
interface OwnLineTaker {
  /** True when configured logs accept lines of the process itself. */
  readonly takesOwnLines: boolean;
  /** True when the accepted lines must not be written to standard error too. */
  readonly replacesStandardError: boolean;
  /** Minimum level that a log of the config accepts; undefined: no log accepts such lines. */
  readonly ownLevel: LogLevelName | undefined;
  /** Writes a line of the process itself. */
  writeOwn(entry: LogEntry): void;
}

/** Converts a line of the process's log to an entry. */
function entryOf(line: string): Omit<LogEntry, "logger"> | undefined {
  try {
    const { level, time, name: _, msg, ...fields } = JSON.parse(line) as Record<string, unknown>;
    const timeMs = typeof time === "string" ? Date.parse(time) : Number(time);
    return {
      level: levelOf(level),
      timeMs: Number.isFinite(timeMs) ? timeMs : Date.now(),
      message: String(msg ?? ""),
      fields: fields as LogEntry["fields"],
    };
  } catch {
    return undefined;
  }
}

/**
 * The server's own log lines. They go to standard error until a config has logs for them. After that, the lines become
 * entries of the logger {@link ownLogger}. Each thread has one such object.
 */
export class ProcessLogForwarder implements SharedResource {
  #log: Logger | undefined;
  #startLevel = "info";
  #set: OwnLineTaker | undefined;

  /** @param log the process log, which passes its lines to {@link take} */
  attach(log: Logger): void {
    this.#log = log;
    this.#startLevel = log.level;
  }

  /** Passes a line to the logs that accept it. @returns true when the line must not be written to standard error too */
  readonly take = (line: string): boolean => {
    const set = this.#set;
    if (set === undefined || !set.takesOwnLines) {
      return false;
    }
    const entry = entryOf(line);
    if (entry === undefined) {
      return false;
    }
    set.writeOwn({ ...entry, logger: ownLogger });
    // A line below the process log's initial level exists only because a log of the config accepts it.
    return (
      set.replacesStandardError || levelRank(entry.level) < levelRank(parseLevel(this.#startLevel) ?? "info")
    );
  };

  /** Sends later lines to the logs of a config. */
  follow(set: OwnLineTaker): void {
    this.#set = set;
    this.#setLevel();
  }

  /** Stops sending lines to the logs, unless a newer config has already replaced them. */
  leave(set: OwnLineTaker): void {
    if (this.#set === set) {
      this.#set = undefined;
      this.#setLevel();
    }
  }

  close(): void {
    this.#set = undefined;
  }

  #setLevel(): void {
    const log = this.#log;
    if (log === undefined) {
      return;
    }
    const wanted = this.#set?.ownLevel;
    const start = parseLevel(this.#startLevel);
    const isLower = wanted !== undefined && start !== undefined && levelRank(wanted) < levelRank(start);
    log.level =
      isLower || (wanted !== undefined && this.#set?.replacesStandardError)
        ? pinoLevel(wanted)
        : this.#startLevel;
  }
}

function pinoLevel(level: LogLevelName): string {
  return level === "panic" ? "fatal" : level;
}

export const processLogForwarder: ResourceKind<ProcessLogForwarder> = { name: "logging.own" };
