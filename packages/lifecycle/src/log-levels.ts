/**
 * Levels of the log, from most to fewest lines. It is a separate file because help texts need them before
 * there is a log.
 */
export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal"] as const;
/** The least level that is written; `fatal` lines tell why the process ends. */
export type LogLevel = (typeof logLevels)[number];
