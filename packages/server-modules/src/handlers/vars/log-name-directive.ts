import { handlerDirective } from "serverfile/directives/directive";

/**
 * `log_name name…`: the access logs that get the log entries of these requests. Without a name the list is null.
 * ```
 * log_name audit
 * ```
 * becomes
 * ```json
 * { "handler": "vars", "access_logger_names": ["audit"] }
 * ```
 */
export const logName = handlerDirective(({ cursor }) => {
  cursor.next();
  const names = cursor.remainingArguments();
  return { handler: "vars", access_logger_names: names.length === 0 ? null : names };
});
