import type { Logger } from "lifecycle";
import type { ResourceKind, SharedResource } from "../modules/usage-pool.ts";
import { type LogEntry, type LogLevelName, levelNames, levelRank, parseLevel } from "./log-entry.ts";

/** Name of the logger of the server's own lines. */
export const ownLogger = "server";

/** Levels as the console form has them, from 10 for trace to 60 for fatal. */
function levelOf(value: unknown): LogLevelName {
  const name =
    typeof value === "number" ? (["debug", ...levelNames][value / 10 - 1] ?? "info") : String(value);
  // The panic of the model lies between error and fatal; nothing of ours has it.
  return typeof value === "number" && value >= 50
    ? value >= 60
      ? "fatal"
      : "error"
    : (parseLevel(name) ?? "info");
}

/** The logs of a config, as far as they take lines of the server's own. */
interface OwnLineTaker {
  /** Whether lines of the process itself go to the configured logs yet. */
  readonly takesOwnLines: boolean;
  /** Whether the lines it takes are not to stand on standard error too. */
  readonly replacesStandardError: boolean;
  /** The lowest level that a log of it wants; undefined: none wants any. */
  readonly ownLevel: LogLevelName | undefined;
  /** Writes a line of the process itself. */
  writeOwn(entry: LogEntry): void;
}

/** A line of the process's log as an entry. */
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
 * The server's own log lines. They go to standard error until a config names logs for them; then they are
 * entries of the logger {@link ownLogger}. One object per thread.
 */
export class OwnLines implements SharedResource {
  #log: Logger | undefined;
  #startLevel = "info";
  #set: OwnLineTaker | undefined;

  /** @param log the process log, whose lines come to {@link take} */
  attach(log: Logger): void {
    this.#log = log;
    this.#startLevel = log.level;
  }

  /** Takes a line where a log wants it. @returns whether the line must not go to standard error too */
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
    // A level below that of the start is there for the logs alone.
    return (
      set.replacesStandardError || levelRank(entry.level) < levelRank(parseLevel(this.#startLevel) ?? "info")
    );
  };

  /** Sends the lines to the logs of a config from now on. */
  follow(set: OwnLineTaker): void {
    this.#set = set;
    this.#setLevel();
  }

  /** Stops that, unless a newer config follows already. */
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

export const ownLines: ResourceKind<OwnLines> = { name: "logging.own" };
