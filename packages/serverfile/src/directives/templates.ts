import type { Draft } from "../values/draft.ts";
import { handlerDirective } from "./directive.ts";

/** `templates { mime …; between … …; root … }`: answers are templates. */
export const templates = handlerDirective(({ cursor, readModule }) => {
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
