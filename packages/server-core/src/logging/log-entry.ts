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

/** One log event, before it is encoded. */
export interface LogEntry {
  readonly level: LogLevelName;
  /** Milliseconds since 1970. */
  readonly timeMs: number;
  /** Name of the logger, such as `http.log.access.main`. */
  readonly logger: string;
  /** Text for people; data for programs belongs into fields. */
  readonly message: string;
  /** Fields in the order of writing. */
  readonly fields: { readonly [name: string]: LogValue };
  /** Place in the source that wrote the entry; present when the log is configured to have it. */
  readonly caller?: string;
  /** The calls that led to that place, one per line; present when the log is configured to have it. */
  readonly stack?: string;
}

/** 0 for debug to 5 for fatal. */
export function levelRank(level: LogLevelName): number {
  return levelNames.indexOf(level);
}

/** @returns undefined for an unknown level; upper and lower case are equal, "" is info */
export function parseLevel(text: string): LogLevelName | undefined {
  const lower = text.toLowerCase() || "info";
  return levelNames.find((name) => name === lower || (name === "warn" && lower === "warning"));
}
