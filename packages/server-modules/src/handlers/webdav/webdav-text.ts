import { handlerDirective } from "serverfile/directives/directive";
import type { ModuleText } from "serverfile/module-text";
import { fieldLines } from "serverfile/to-text/lines/field-lines";
import { blockOf } from "serverfile/to-text/lines/line";
import type { HandlerWriter } from "serverfile/to-text/routes/handler-writer";
import { once, readFields, text } from "serverfile/values/block-fields";
import type { Draft } from "serverfile/values/draft";

/** Lines of the block; each is allowed once. */
const fields = {
  root: once(text("root"), "root path already specified"),
  prefix: once(text("prefix"), "prefix already specified"),
};

/**
 * `webdav { root …; prefix … }`.
 * ```
 * webdav /files/* {
 *   root /srv/share
 *   prefix /files
 * }
 * ```
 * becomes
 * ```json
 * [
 *   {
 *     "match": [{ "path": ["/files/*"] }],
 *     "handle": [{ "handler": "webdav", "root": "/srv/share", "prefix": "/files" }]
 *   }
 * ]
 * ```
 * Source: mholt/caddy-webdav
 */
const directive = handlerDirective(({ cursor }) => {
  cursor.next();
  cursor.noMoreArguments();
  const draft: Draft = { handler: "webdav" };
  readFields(cursor, draft, fields, (word) => `unrecognized subdirective: ${word}`);
  return draft;
});

/** Writes one line for each member that the config has. */
const toText: HandlerWriter = (handler) => ({
  directive: "webdav",
  words: [],
  ...blockOf(fieldLines(handler, fields)),
});

export const webdavText: ModuleText = { directive, toText };
