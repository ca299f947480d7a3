import { handlerDirective } from "serverfile/directives/directive";

/**
 * `fs name`: the file system that handlers after it use.
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
