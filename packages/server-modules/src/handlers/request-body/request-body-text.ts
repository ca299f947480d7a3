import { handlerDirective } from "serverfile/directives/directive";
import type { ModuleText } from "serverfile/module-text";
import { fieldLines } from "serverfile/to-text/lines/field-lines";
import { blockOf } from "serverfile/to-text/lines/line";
import type { HandlerWriter } from "serverfile/to-text/routes/handler-writer";
import { onlyText, readFields, size } from "serverfile/values/block-fields";
import type { Draft } from "serverfile/values/draft";

const fields = { max_size: size("max_size", "parsing max_size"), set: onlyText("set") };

/** `request_body { max_size 10MB; set text }`. */
const directive = handlerDirective(({ cursor }) => {
  cursor.next();
  const draft: Draft = { handler: "request_body" };
  readFields(cursor, draft, fields, (word) => `unrecognized request_body subdirective '${word}'`);
  return draft;
});

const toText: HandlerWriter = (handler) => ({
  directive: "request_body",
  words: [],
  ...blockOf(fieldLines(handler, fields)),
});

/** How serverfiles say it. */
export const requestBodyText: ModuleText = { directive, toText };
