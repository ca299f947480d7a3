import { handlerDirective } from "serverfile/directives/directive";

/**
 * `method NAME`: changes the method of the request for later handlers.
 * ```
 * method HEAD
 * ```
 * becomes
 * ```json
 * { "handler": "rewrite", "method": "HEAD" }
 * ```
 */
export const method = handlerDirective(({ cursor }) => {
  cursor.next();
  const name = cursor.argument();
  cursor.noMoreArguments();
  return { handler: "rewrite", method: name };
});
