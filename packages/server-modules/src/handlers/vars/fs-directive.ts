import { handlerDirective } from "serverfile/directives/directive";

/**
 * `fs name`: selects the file system for later handlers.
 * ```
 * fs backup
 * ```
 * becomes
 * ```json
 * { "handler": "vars", "fs": "backup" }
 * ```
 */
export const fs = handlerDirective(({ cursor }) => {
  cursor.next();
  const name = cursor.argument();
  cursor.noMoreArguments();
  return { handler: "vars", fs: name };
});
