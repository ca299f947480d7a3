import { handlerDirective } from "serverfile/directives/directive";
import type { ModuleText } from "serverfile/module-text";
import type { HandlerWriter } from "serverfile/to-text/routes/handler-writer";
import { onlyGiven } from "serverfile/values/draft";

/**
 * `log_append [<]key value`: adds a field to the access log; `<` evaluates the value before the other handlers run.
 * ```
 * log_append <path_at_first {http.request.uri.path}
 * ```
 * becomes
 * ```json
 * {
 *   "handler": "log_append",
 *   "key": "path_at_first",
 *   "value": "{http.request.uri.path}",
 *   "early": true
 * }
 * ```
 */
const directive = handlerDirective(({ cursor }) => {
  cursor.next();
  const key = cursor.argument();
  const value = cursor.argument();
  const early = key.startsWith("<") && key.length > 1;
  return onlyGiven({ handler: "log_append", key: early ? key.slice(1) : key, value, early });
});

/** Writes `early` as `<` before the key. */
const toText: HandlerWriter = (handler) => {
  const early = handler.boolean("early") === true ? "<" : "";
  return {
    directive: "log_append",
    words: [`${early}${handler.text("key") ?? ""}`, handler.text("value") ?? ""],
  };
};

export const logAppendText: ModuleText = { directive, toText };
