import { handlerDirective } from "serverfile/directives/directive";
import type { ModuleText } from "serverfile/module-text";
import { field, fieldLines } from "serverfile/to-text/lines/field-lines";
import { blockOf } from "serverfile/to-text/lines/line";
import type { HandlerWriter } from "serverfile/to-text/routes/handler-writer";
import { paced, readFields, size } from "serverfile/values/block-fields";
import type { Draft } from "serverfile/values/draft";

const fields = {
  read_timeout: paced("read_timeout", "read", ["parsing read_timeout", "parsing read_timeout min_rate"]),
  write_timeout: paced("write_timeout", "write", ["parsing write_timeout", "parsing write_timeout min_rate"]),
  max_write_chunk: size("max_write_chunk", "parsing max_write_chunk"),
};

/** `timeouts { read_timeout 5s [rate]; write_timeout …; max_write_chunk … }`. */
const directive = handlerDirective(({ cursor }) => {
  cursor.next();
  const draft: Draft = { handler: "timeouts" };
  readFields(cursor, draft, fields, (word) => `unrecognized timeouts subdirective '${word}'`);
  return draft;
});

/** A rate whose time is zero. */
const rates = Object.fromEntries(
  ["read", "write"].map((which) => [
    `${which}_timeout`,
    field(`${which}_min_rate`, (members, key) => ["0", `${members.number(key)}`]),
  ]),
);

const toText: HandlerWriter = (handler) => ({
  directive: "timeouts",
  words: [],
  ...blockOf([...fieldLines(handler, fields), ...fieldLines(handler, rates)]),
});

/** How serverfiles say it. */
export const timeoutsText: ModuleText = { directive, toText };
