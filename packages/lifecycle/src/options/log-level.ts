import { z } from "zod";
import { type LogLevel, logLevels } from "../logger.ts";

/** Levels that exist only in Jaeger, each with the nearest level of this log. */
const otherSpellings: ReadonlyMap<string, LogLevel> = new Map([
  ["warning", "warn"],
  ["dpanic", "fatal"],
  ["panic", "fatal"],
]);

/**
 * Option field: least severe level that is logged. Jaeger's levels are also accepted, in lower or upper case.
 */
export function logLevel(defaultValue: LogLevel) {
  return z
    .string()
    .transform((text, context): LogLevel => {
      const name = text.toLowerCase();
      const level = logLevels.find((known) => known === name) ?? otherSpellings.get(name);
      if (level === undefined) {
        context.addIssue(
          `"${text}" is not a log level: ${[...logLevels, ...otherSpellings.keys()].join(", ")}`,
        );
        return z.NEVER;
      }
      return level;
    })
    .prefault(defaultValue)
    .meta({ placeholder: logLevels.join("|") });
}
