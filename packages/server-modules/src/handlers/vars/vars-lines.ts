import { isJsonArray } from "server-core/json/json-value";
import { line } from "serverfile/to-text/lines/line";
import { scalarWord } from "serverfile/to-text/lines/scalar-word";
import type { HandlerWriter } from "serverfile/to-text/routes/handler-writer";

/**
 * Writes `root`, `fs`, `log_skip`, `log_name`, `log_level` or `vars`. Each of the five special variables has its own
 * directive only when it is the handler's only variable.
 */
export const vars: HandlerWriter = (handler) => {
  const [only = "", more] = handler.keys;
  if (more === undefined) {
    const value = handler.look(only);
    if ((only === "root" || only === "fs") && typeof value === "string") {
      handler.take(only);
      return { directive: only, words: [value] };
    }
    if (only === "log_skip" && value === true) {
      handler.take(only);
      return { directive: "log_skip", older: "skip_log", words: [] };
    }
    if (only === "access_logger_names" && (value === null || isJsonArray(value))) {
      handler.take(only);
      return { directive: "log_name", words: value === null ? [] : value.map(String) };
    }
    if (only === "log_level" && ["debug", "info", "warn", "error"].includes(String(value))) {
      return { directive: "log_level", words: [(handler.text(only) ?? "").toUpperCase()] };
    }
  }
  const pairs = handler
    .entries()
    .map(([key, value]) => [key, scalarWord(value, handler.pathOf(key))] as const);
  const [first] = pairs;
  return pairs.length > 1
    ? { directive: "vars", words: [], block: pairs.map((pair) => line(...pair)) }
    : { directive: "vars", words: first ?? [] };
};
