import { handlerDirective } from "serverfile/directives/directive";
import type { ModuleText } from "serverfile/module-text";
import { fieldLines } from "serverfile/to-text/lines/field-lines";
import { blockOf } from "serverfile/to-text/lines/line";
import type { HandlerWriter } from "serverfile/to-text/routes/handler-writer";
import { appended, readFields } from "serverfile/values/block-fields";
import type { Draft } from "serverfile/values/draft";

/**
 * Both lines may be repeated; the words of repeated lines are added up. The handler checks the combination of both when
 * the config is loaded.
 */
const fields = { include: appended("include"), exclude: appended("exclude") };

/**
 * `copy_response_headers { include …; exclude … }`, in `handle_response`.
 * ```
 * copy_response_headers {
 *   exclude Server X-Internal
 * }
 * ```
 * becomes
 * ```json
 * { "handler": "copy_response_headers", "exclude": ["Server", "X-Internal"] }
 * ```
 */
const directive = handlerDirective(({ cursor }) => {
  cursor.next();
  cursor.noMoreArguments();
  const draft: Draft = { handler: "copy_response_headers" };
  readFields(cursor, draft, fields, (word) => `unrecognized subdirective '${word}'`);
  return draft;
});

/** Writes all names of a list on one line. */
const toText: HandlerWriter = (handler) => ({
  directive: "copy_response_headers",
  words: [],
  ...blockOf(fieldLines(handler, fields)),
});

export const copyResponseHeadersText: ModuleText = { directive, toText };
