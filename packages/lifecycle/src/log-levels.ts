/**
 * Levels of the log, from most to fewest lines. They have a file of their own because help texts need them before a log
 * exists.
 */
export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal"] as const;
/** The lowest level that is written; `fatal` lines tell why the process ends. */
export type LogLevel = (typeof logLevels)[number];
