/**
 * Levels of the log, from most to fewest lines. They are in a separate file, because help texts need them before a log
 * exists.
 */
export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal"] as const;
/** A level of the log. A `fatal` line has the reason why the process ends. */
export type LogLevel = (typeof logLevels)[number];
