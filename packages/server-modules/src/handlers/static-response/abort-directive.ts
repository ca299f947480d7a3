import { handlerDirective } from "serverfile/directives/directive";

/**
 * `abort`: closes the connection without a response. Neither arguments nor a block are allowed.
 * ```
 * abort
 * ```
 * becomes
 * ```json
 * { "handler": "static_response", "abort": true }
 * ```
 */
export const abort = handlerDirective(({ cursor }) => {
  cursor.next();
  if (cursor.next()) {
    throw cursor.argumentError();
  }
  return { handler: "static_response", abort: true };
});
