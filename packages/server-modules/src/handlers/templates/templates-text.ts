import { handlerDirective } from "serverfile/directives/directive";
import type { ModuleText } from "serverfile/module-text";
import * as write from "serverfile/to-text/lines/field-lines";
import { blockOf } from "serverfile/to-text/lines/line";
import type { HandlerWriter } from "serverfile/to-text/routes/handler-writer";
import type { Draft } from "serverfile/values/draft";

/** `templates { mime …; between … …; root … }`: answers are templates. */
const directive = handlerDirective(({ cursor, readModule }) => {
  cursor.next();
  const draft: Draft = { handler: "templates" };
  while (cursor.nextInBlock(0)) {
    switch (cursor.value) {
      case "mime":
        draft.mime_types = cursor.someArguments();
        break;
      case "between": {
        const delimiters = cursor.remainingArguments();
        if (delimiters.length !== 2) {
          throw cursor.argumentError();
        }
        draft.delimiters = delimiters;
        break;
      }
      case "root":
        draft.file_root = cursor.argument();
        break;
      case "extensions":
        cursor.noMoreArguments();
        for (const outer = cursor.nesting; cursor.nextInBlock(outer); ) {
          readModule(cursor, "http.handlers.templates.functions");
        }
        break;
    }
  }
  return draft;
});

const toText: HandlerWriter = (handler) => ({
  directive: "templates",
  words: [],
  ...blockOf(
    write.fieldLines(handler, {
      mime: write.texts("mime_types"),
      between: write.texts("delimiters"),
      root: write.text("file_root"),
    }),
  ),
});

/** How serverfiles say it. */
export const templatesText: ModuleText = { directive, toText };
