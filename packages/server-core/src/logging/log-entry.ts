/** A value in a log line, as in JSON. */
export type LogValue =
  | string
  | number
  | boolean
  | null
  | readonly LogValue[]
  | { readonly [name: string]: LogValue };

export const levelNames = ["debug", "info", "warn", "error", "panic", "fatal"] as const;
export type LogLevelName = (typeof levelNames)[number];

/** One event, before it is text. */
export interface LogEntry {
  /** DEBUG, INFO, WARN, ERROR, PANIC or FATAL. */
  readonly level: LogLevelName;
  /** Milliseconds since 1970. */
  readonly timeMs: number;
  /** `http.log.access.main`. */
  readonly logger: string;
  /** Text for people; values that a program reads are fields. */
  readonly message: string;
  /** In the order in which they are written. */
  readonly fields: { readonly [name: string]: LogValue };
  /** Place in the program that wrote it, where a log asks for that. */
  readonly caller?: string;
  /** The calls that led there, a line each, where a log asks for that. */
  readonly stack?: string;
}

/** 0 for debug to 5 for fatal. */
export function levelRank(level: LogLevelName): number {
  return levelNames.indexOf(level);
}

/** @returns undefined for a text that is no level; case does not count, "" is info */
export function parseLevel(text: string): LogLevelName | undefined {
  const lower = text.toLowerCase() || "info";
  return levelNames.find((name) => name === lower || (name === "warn" && lower === "warning"));
}
