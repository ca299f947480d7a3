import { handlerDirective } from "serverfile/directives/directive";
import type { ModuleText } from "serverfile/module-text";
import * as write from "serverfile/to-text/lines/field-lines";
import { blockOf } from "serverfile/to-text/lines/line";
import type { HandlerWriter } from "serverfile/to-text/routes/handler-writer";
import { type FieldReader, readFields } from "serverfile/values/block-fields";
import { type Draft, listOf } from "serverfile/values/draft";

function names(key: string): FieldReader {
  return (cursor, draft) => {
    const list = cursor.remainingArguments();
    if (list.length > 0) {
      listOf(draft, key).push(...list);
    }
  };
}

/** `copy_response_headers { include …; exclude … }`, in `handle_response`. */
const directive = handlerDirective(({ cursor }) => {
  cursor.next();
  cursor.noMoreArguments();
  const draft: Draft = { handler: "copy_response_headers" };
  const fields = { include: names("include"), exclude: names("exclude") };
  readFields(cursor, draft, fields, (word) => `unrecognized subdirective '${word}'`);
  return draft;
});

const toText: HandlerWriter = (handler) => ({
  directive: "copy_response_headers",
  words: [],
  ...blockOf(write.fieldLines(handler, { include: write.texts("include"), exclude: write.texts("exclude") })),
});

/** How serverfiles say it. */
export const copyResponseHeadersText: ModuleText = { directive, toText };
