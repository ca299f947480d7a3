import { handlerDirective } from "serverfile/directives/directive";

/** Levels as the config spells them. `warning` is read as `warn`. */
const levels = new Set(["debug", "info", "warn", "error"]);

/**
 * `log_level DEBUG|INFO|WARN|ERROR`: sets the level of the access log entry. Mixed case such as `Warn` is an error, as
 * in Caddy.
 * ```
 * log_level /health DEBUG
 * ```
 * becomes
 * ```json
 * [
 *   {
 *     "match": [{ "path": ["/health"] }],
 *     "handle": [{ "handler": "vars", "log_level": "debug" }]
 *   }
 * ]
 * ```
 */
export const logLevel = handlerDirective(({ cursor }) => {
  cursor.next();
  const [word, ...more] = cursor.remainingArguments();
  if (word === undefined || more.length > 0) {
    throw cursor.argumentError();
  }
  if (cursor.nextInBlock(0)) {
    throw cursor.error("log_level directive does not accept blocks");
  }
  const lower = word.toLowerCase();
  const level = lower === "" ? "info" : lower === "warning" ? "warn" : lower;
  if (!levels.has(level) || (word !== lower && word !== word.toUpperCase())) {
    throw cursor.error(`invalid log level ${JSON.stringify(word)}: expected DEBUG, INFO, WARN, or ERROR`);
  }
  return { handler: "vars", log_level: level };
});
