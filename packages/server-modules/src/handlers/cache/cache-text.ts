import { handlerDirective } from "serverfile/directives/directive";
import type { ModuleText } from "serverfile/module-text";
import type { OptionReader } from "serverfile/modules/module-reader";
import { fieldLines } from "serverfile/to-text/lines/field-lines";
import { blockOf, lineWith } from "serverfile/to-text/lines/line";
import type { HandlerWriter } from "serverfile/to-text/routes/handler-writer";
import {
  duration,
  type FieldReader,
  type FieldReaders,
  readFields,
  size,
  text,
} from "serverfile/values/block-fields";
import type { Draft } from "serverfile/values/draft";

/**
 * Skips a line and its block. The line configures the plug-in's local storage or its log, and has no effect in this
 * server.
 */
const ignored: FieldReader = (cursor) => void cursor.nextSegment();

/** @throws ServerError CONFIG_ADAPTER: these storages are shared by machines */
const notThere: FieldReader = (cursor) => {
  throw cursor.error(`cache: there is no storage ${cursor.value}: each thread keeps responses in its memory`);
};

/** Lines of the plug-in that the option and the directive have in common. */
const sharedFields: FieldReaders = {
  ttl: duration("ttl", "invalid ttl '%s'"),
  stale: duration("stale", "invalid stale '%s'"),
  default_cache_control: text("default_cache_control"),
};

/** Lines of the plug-in that are read, but never written. */
const readFieldsOnly: FieldReaders = {
  ...Object.fromEntries(["badger", "log_level", "nuts", "otter", "simplefs"].map((name) => [name, ignored])),
  ...Object.fromEntries(["etcd", "nats", "olric", "redis"].map((name) => [name, notThere])),
};

/** Lines of the block. Each line is optional; the handler has a default for every member. */
const fields: FieldReaders = {
  max_bytes: size("max_bytes", "parsing max_bytes"),
  max_object_bytes: size("max_object_bytes", "parsing max_object_bytes"),
  default_ttl: duration("default_ttl", "invalid default_ttl '%s'"),
  ...sharedFields,
};

/**
 * `cache { max_bytes 64MiB; max_object_bytes 1MiB; default_ttl 5m }`: stores responses and answers repeated requests
 * from the store. This directive is an addition to Caddy.
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
  readFields(
    cursor,
    draft,
    { ...fields, ...readFieldsOnly },
    (word) => `unrecognized cache subdirective '${word}'`,
  );
  return draft;
});

/** Writes one line for each member that the config has, so a config without members becomes the word `cache` alone. */
const toText: HandlerWriter = (handler) => ({
  directive: "cache",
  words: [],
  ...blockOf(fieldLines(handler, fields)),
});

/** `cache { ttl 1h }` among the global options: defaults of all directives `cache`. */
const readOption: OptionReader = (cursor, _readModule, existing) => {
  cursor.noMoreArguments();
  const draft: Draft = { ...existing };
  readFields(
    cursor,
    draft,
    { ...sharedFields, ...readFieldsOnly },
    (word) => `cache: unrecognized line '${word}'`,
  );
  return draft;
};

export const cacheAppText: ModuleText = {
  readOption,
  writeOption: (app) => [lineWith(["cache"], fieldLines(app, sharedFields))],
};

export const cacheText: ModuleText = { directive, toText };
