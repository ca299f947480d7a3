import { handlerDirective } from "serverfile/directives/directive";
import type { ModuleText } from "serverfile/module-text";
import { fieldLines } from "serverfile/to-text/lines/field-lines";
import { blockOf } from "serverfile/to-text/lines/line";
import type { HandlerWriter } from "serverfile/to-text/routes/handler-writer";
import { row, text, texts, wordsOf } from "serverfile/values/block-fields";
import type { Draft } from "serverfile/values/draft";

/** Lines of the block that each set one member. */
const fields = {
  mime: texts("mime_types"),
  between: row(
    "delimiters",
    (cursor, draft) => {
      const delimiters = cursor.remainingArguments();
      if (delimiters.length !== 2) {
        throw cursor.argumentError();
      }
      draft.delimiters = delimiters;
    },
    wordsOf.texts,
  ),
  root: text("file_root"),
};

/**
 * `templates { mime …; between … …; root … }`: treats responses as templates. Unknown lines are ignored, as in
 * Caddy. `extensions` reads modules of template functions.
 * ```
 * templates {
 *   mime text/html text/markdown
 *   between [[ ]]
 *   root /srv/partials
 * }
 * ```
 * becomes
 * ```json
 * {
 *   "handler": "templates",
 *   "mime_types": ["text/html", "text/markdown"],
 *   "delimiters": ["[[", "]]"],
 *   "file_root": "/srv/partials"
 * }
 * ```
 */
const directive = handlerDirective(({ cursor, readModule }) => {
  cursor.next();
  const draft: Draft = { handler: "templates" };
  while (cursor.nextInBlock(0)) {
    switch (cursor.value) {
      case "mime":
      case "between":
      case "root":
        fields[cursor.value](cursor, draft);
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

/** Writes one line for each member that the config has. */
const toText: HandlerWriter = (handler) => ({
  directive: "templates",
  words: [],
  ...blockOf(fieldLines(handler, fields)),
});

export const templatesText: ModuleText = { directive, toText };
