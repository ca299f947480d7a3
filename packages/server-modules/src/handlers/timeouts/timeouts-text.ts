import { handlerDirective } from "serverfile/directives/directive";
import type { ModuleText } from "serverfile/module-text";
import { field, fieldLines } from "serverfile/to-text/lines/field-lines";
import { blockOf } from "serverfile/to-text/lines/line";
import type { HandlerWriter } from "serverfile/to-text/routes/handler-writer";
import { paced, readFields, size } from "serverfile/values/block-fields";
import type { Draft } from "serverfile/values/draft";

/** Lines of the block. The second word of a timeout is the minimum rate in bytes per second. */
const fields = {
  read_timeout: paced("read_timeout", "read", ["parsing read_timeout", "parsing read_timeout min_rate"]),
  write_timeout: paced("write_timeout", "write", ["parsing write_timeout", "parsing write_timeout min_rate"]),
  max_write_chunk: size("max_write_chunk", "parsing max_write_chunk"),
};

/**
 * `timeouts { read_timeout 5s [rate]; write_timeout …; max_write_chunk … }`.
 * ```
 * timeouts {
 *   read_timeout 5s 1024
 *   write_timeout 30s
 * }
 * ```
 * becomes
 * ```json
 * {
 *   "handler": "timeouts",
 *   "read_timeout": 5000000000,
 *   "read_min_rate": 1024,
 *   "write_timeout": 30000000000
 * }
 * ```
 * Without a rate, each piece of data may take the whole timeout. With a rate, all waits together may exceed the timeout
 * only by the time that the received bytes take at this rate.
 */
const directive = handlerDirective(({ cursor }) => {
  cursor.next();
  const draft: Draft = { handler: "timeouts" };
  readFields(cursor, draft, fields, (word) => `unrecognized timeouts subdirective '${word}'`);
  return draft;
});

/** Lines for a rate without a timeout: the written time is 0. */
const rates = Object.fromEntries(
  ["read", "write"].map((which) => [
    `${which}_timeout`,
    field(`${which}_min_rate`, (members, key) => ["0", `${members.number(key)}`]),
  ]),
);

/** A rate without a timeout is written as `read_timeout 0 <rate>`. */
const toText: HandlerWriter = (handler) => ({
  directive: "timeouts",
  words: [],
  ...blockOf([...fieldLines(handler, fields), ...fieldLines(handler, rates)]),
});

export const timeoutsText: ModuleText = { directive, toText };
