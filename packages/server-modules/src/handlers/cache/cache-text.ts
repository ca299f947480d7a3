import { handlerDirective } from "serverfile/directives/directive";
import type { ModuleText } from "serverfile/module-text";
import { fieldLines } from "serverfile/to-text/lines/field-lines";
import { blockOf } from "serverfile/to-text/lines/line";
import type { HandlerWriter } from "serverfile/to-text/routes/handler-writer";
import { duration, type FieldReaders, readFields, size } from "serverfile/values/block-fields";
import type { Draft } from "serverfile/values/draft";

/** Lines of the block. Each line is optional; the handler has a default for every member. */
const fields: FieldReaders = {
  max_bytes: size("max_bytes", "parsing max_bytes"),
  max_object_bytes: size("max_object_bytes", "parsing max_object_bytes"),
  default_ttl: duration("default_ttl", "invalid default_ttl '%s'"),
};

/**
 * `cache { max_bytes 64MiB; max_object_bytes 1MiB; default_ttl 5m }`: stores responses and answers repeated requests
 * from the store. This directive is an addition to the public model.
 * ```
 * cache {
 *   max_bytes 64MiB
 *   max_object_bytes 1MiB
 *   default_ttl 5m
 * }
 * ```
 * becomes
 * ```json
 * {
 *   "handler": "cache",
 *   "max_bytes": 67108864,
 *   "max_object_bytes": 1048576,
 *   "default_ttl": 300000000000
 * }
 * ```
 */
const directive = handlerDirective(({ cursor }) => {
  cursor.next();
  cursor.noMoreArguments();
  const draft: Draft = { handler: "cache" };
  readFields(cursor, draft, fields, (word) => `unrecognized cache subdirective '${word}'`);
  return draft;
});

/** Writes one line for each member that the config has, so a config without members becomes the word `cache` alone. */
const toText: HandlerWriter = (handler) => ({
  directive: "cache",
  words: [],
  ...blockOf(fieldLines(handler, fields)),
});

/** Reads and writes the directive in serverfiles. */
export const cacheText: ModuleText = { directive, toText };
