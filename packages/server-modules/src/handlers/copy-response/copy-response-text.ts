import { handlerDirective } from "serverfile/directives/directive";
import type { ModuleText } from "serverfile/module-text";
import { line } from "serverfile/to-text/lines/line";
import type { HandlerWriter } from "serverfile/to-text/routes/handler-writer";
import { readFields, text } from "serverfile/values/block-fields";
import type { Draft } from "serverfile/values/draft";
import { statusValue } from "serverfile/values/status-value";

/**
 * `copy_response [status]`, in `handle_response`: sends the upstream's response to the client. A number on the line is
 * a status. Other words on the line are ignored, as in Caddy, so a placeholder needs the block.
 * ```
 * copy_response 200
 * ```
 * becomes
 * ```json
 * { "handler": "copy_response", "status_code": 200 }
 * ```
 * The long form takes a placeholder:
 * ```
 * copy_response {
 *   status {http.vars.code}
 * }
 * ```
 * becomes
 * ```json
 * { "handler": "copy_response", "status_code": "{http.vars.code}" }
 * ```
 */
const directive = handlerDirective(({ cursor }) => {
  cursor.next();
  const draft: Draft = { handler: "copy_response" };
  const [status = "", ...more] = cursor.remainingArguments();
  if (more.length === 0 && /^[+]?\d+$/.test(status) && Number(status) > 0) {
    draft.status_code = statusValue(status);
    return draft;
  }
  readFields(cursor, draft, { status: text("status_code") }, (word) => `unrecognized subdirective '${word}'`);
  if (typeof draft.status_code === "string") {
    draft.status_code = statusValue(draft.status_code);
  }
  return draft;
});

/** Writes the short form where the status is a positive number, else the block. */
const toText: HandlerWriter = (handler) => {
  const status = handler.take("status_code");
  if (status === undefined) {
    return { directive: "copy_response", words: [] };
  }
  const word = String(status);
  return /^\d+$/.test(word) && Number(word) > 0
    ? { directive: "copy_response", words: [word] }
    : { directive: "copy_response", words: [], block: [line("status", word)] };
};

export const copyResponseText: ModuleText = { directive, toText };
