/** How much a process says, from all to next to nothing. A file of its own: help texts name them before there is a log. */
export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal"] as const;
export type LogLevel = (typeof logLevels)[number];
