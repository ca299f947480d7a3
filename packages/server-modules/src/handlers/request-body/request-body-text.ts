import { handlerDirective } from "serverfile/directives/directive";
import type { ModuleText } from "serverfile/module-text";
import { fieldLines } from "serverfile/to-text/lines/field-lines";
import { blockOf } from "serverfile/to-text/lines/line";
import type { HandlerWriter } from "serverfile/to-text/routes/handler-writer";
import { onlyText, readFields, size } from "serverfile/values/block-fields";
import type { Draft } from "serverfile/values/draft";

/** Lines of the block. Timeouts of the body are set by the directive `timeouts`. */
const fields = { max_size: size("max_size", "parsing max_size"), set: onlyText("set") };

/**
 * `request_body { max_size 10MB; set text }`.
 * ```
 * request_body {
 *   max_size 10MB
 * }
 * ```
 * becomes
 * ```json
 * { "handler": "request_body", "max_size": 10000000 }
 * ```
 * Sizes are decimal for `MB` and binary for `MiB`.
 */
const directive = handlerDirective(({ cursor }) => {
  cursor.next();
  const draft: Draft = { handler: "request_body" };
  readFields(cursor, draft, fields, (word) => `unrecognized request_body subdirective '${word}'`);
  return draft;
});

/** Writes one line for each member that the config has. */
const toText: HandlerWriter = (handler) => ({
  directive: "request_body",
  words: [],
  ...blockOf(fieldLines(handler, fields)),
});

export const requestBodyText: ModuleText = { directive, toText };
