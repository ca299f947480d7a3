import { handlerDirective } from "serverfile/directives/directive";
import type { ModuleText } from "serverfile/module-text";
import { fieldLines } from "serverfile/to-text/lines/field-lines";
import { blockOf } from "serverfile/to-text/lines/line";
import type { HandlerWriter } from "serverfile/to-text/routes/handler-writer";
import { appended, readFields } from "serverfile/values/block-fields";
import type { Draft } from "serverfile/values/draft";

const fields = { include: appended("include"), exclude: appended("exclude") };

/** `copy_response_headers { include …; exclude … }`, in `handle_response`. */
const directive = handlerDirective(({ cursor }) => {
  cursor.next();
  cursor.noMoreArguments();
  const draft: Draft = { handler: "copy_response_headers" };
  readFields(cursor, draft, fields, (word) => `unrecognized subdirective '${word}'`);
  return draft;
});

const toText: HandlerWriter = (handler) => ({
  directive: "copy_response_headers",
  words: [],
  ...blockOf(fieldLines(handler, fields)),
});

/** How serverfiles say it. */
export const copyResponseHeadersText: ModuleText = { directive, toText };
