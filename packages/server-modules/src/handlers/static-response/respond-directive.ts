import { handlerDirective } from "serverfile/directives/directive";
import { onlyGiven } from "serverfile/values/draft";
import { isStatusWord, statusValue } from "serverfile/values/status-value";

/**
 * `respond [body] [status] { body …; close }`: one argument of three digits is the status. A body of three
 * digits without a status must be written in the block. `close` ends the connection after the response.
 * ```
 * respond "Gone fishing" 503 {
 *   close
 * }
 * ```
 * becomes
 * ```json
 * { "handler": "static_response", "status_code": 503, "body": "Gone fishing", "close": true }
 * ```
 */
export const respond = handlerDirective(({ cursor }) => {
  cursor.next();
  const [first, second, ...more] = cursor.remainingArguments();
  if (first === undefined || more.length > 0) {
    throw cursor.argumentError();
  }
  const isStatus = second === undefined && isStatusWord(first);
  const status = isStatus ? first : (second ?? "");
  let body = isStatus ? "" : first;
  let close = false;
  while (cursor.nextInBlock(0)) {
    switch (cursor.value) {
      case "body":
        if (body !== "") {
          throw cursor.error("body already specified");
        }
        body = cursor.onlyArgument();
        break;
      case "close":
        if (close) {
          throw cursor.error("close already specified");
        }
        close = true;
        break;
      default:
        throw cursor.error(`unrecognized subdirective '${cursor.value}'`);
    }
  }
  return onlyGiven({
    handler: "static_response",
    status_code: status === "" ? undefined : statusValue(status),
    body,
    close,
  });
});
