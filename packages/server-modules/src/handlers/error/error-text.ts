import type { JsonValue } from "server-core/json/json-value";
import { handlerDirective } from "serverfile/directives/directive";
import type { ModuleText } from "serverfile/module-text";
import { line } from "serverfile/to-text/lines/line";
import type { HandlerWriter } from "serverfile/to-text/routes/handler-writer";
import { onlyGiven } from "serverfile/values/draft";
import { isStatusWord, statusValue } from "serverfile/values/status-value";

/**
 * `error [message] [status]`, `{ message … }`: fails the request, so the error routes answer. A single argument of
 * three digits is the status; any other single argument is the message.
 * ```
 * error "Not for robots" 403
 * ```
 * becomes
 * ```json
 * { "handler": "error", "error": "Not for robots", "status_code": 403 }
 * ```
 * A message that looks like a status must be in the block:
 * ```
 * error 404 {
 *   message "404 again"
 * }
 * ```
 * becomes
 * ```json
 * { "handler": "error", "error": "404 again", "status_code": 404 }
 * ```
 */
const directive = handlerDirective(({ cursor }) => {
  cursor.next();
  const [first, second, ...more] = cursor.remainingArguments();
  if (first === undefined || more.length > 0) {
    throw cursor.argumentError();
  }
  let status = second ?? "";
  let message = first;
  if (second === undefined && isStatusWord(first)) {
    status = first;
    message = "";
  }
  while (cursor.nextInBlock(0)) {
    if (cursor.value !== "message") {
      throw cursor.error(`unrecognized subdirective '${cursor.value}'`);
    }
    if (message !== "") {
      throw cursor.error("message already specified");
    }
    message = cursor.onlyArgument();
  }
  return onlyGiven({
    handler: "error",
    error: message,
    status_code: status === "" ? undefined : statusValue(status),
  });
});

/** The status as text: numbers as digits, placeholders unchanged. */
function wordOf(status: JsonValue | undefined): string | undefined {
  return status === undefined ? undefined : String(status);
}

/**
 * Writes `error`. Without a message, a status placeholder follows an empty word; as the first word it would be read as
 * the message. A message like `404` moves to the block, because on the line it would be read as the status.
 */
const toText: HandlerWriter = (handler) => {
  const status = wordOf(handler.take("status_code"));
  const message = handler.text("error");
  if (message === undefined) {
    const words = status === undefined ? [""] : isStatusWord(status) ? [status] : ["", status];
    return { directive: "error", words };
  }
  if (status === undefined && isStatusWord(message)) {
    return { directive: "error", words: [""], block: [line("message", message)] };
  }
  return { directive: "error", words: status === undefined ? [message] : [message, status] };
};

export const errorText: ModuleText = { directive, toText };
