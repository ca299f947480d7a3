import { handlerDirective } from "serverfile/directives/directive";

/**
 * `log_skip`: disables the access log for these requests.
 * ```
 * log_skip /health
 * ```
 * becomes
 * ```json
 * [{ "match": [{ "path": ["/health"] }], "handle": [{ "handler": "vars", "log_skip": true }] }]
 * ```
 */
export const logSkip = handlerDirective(({ cursor }) => {
  cursor.next();
  cursor.noMoreArguments();
  if (cursor.nextInBlock(0)) {
    throw cursor.error("log_skip directive does not accept blocks");
  }
  return { handler: "vars", log_skip: true };
});
