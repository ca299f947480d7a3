import type { TokenCursor } from "serverfile/lexer/token-cursor";
import type { ModuleText } from "serverfile/module-text";
import type { ModuleReader } from "serverfile/modules/module-reader";
import { duration, type FieldReaders, flag, readFields, text, texts } from "serverfile/values/block-fields";
import { childOf, type Draft, setMember } from "serverfile/values/draft";

/** Lines of the FastCGI transport, also used by `php_fastcgi`. */
export const fastcgiFields: FieldReaders = {
  root: text("root"),
  split: texts("split_path"),
  env: (cursor: TokenCursor, draft: Draft) => {
    const [name, value, ...more] = cursor.remainingArguments();
    if (name === undefined || value === undefined || more.length > 0) {
      throw cursor.argumentError();
    }
    setMember(childOf(draft, "env"), name, value);
  },
  resolve_root_symlink: flag("resolve_root_symlink"),
  dial_timeout: duration("dial_timeout", "bad timeout value %s"),
  read_timeout: duration("read_timeout", "bad timeout value %s"),
  write_timeout: duration("write_timeout", "bad timeout value %s"),
  capture_stderr: flag("capture_stderr"),
};

/**
 * `transport fastcgi { … }`.
 * ```
 * to app:9000
 * transport fastcgi {
 *   root /srv/php
 *   split .php
 *   env APP_MODE live
 * }
 * ```
 * becomes
 * ```json
 * {
 *   "handler": "reverse_proxy",
 *   "upstreams": [{ "dial": "app:9000" }],
 *   "transport": {
 *     "root": "/srv/php",
 *     "split_path": [".php"],
 *     "env": { "APP_MODE": "live" },
 *     "protocol": "fastcgi"
 *   }
 * }
 * ```
 */
const readText: ModuleReader = (cursor) => {
  cursor.next();
  const draft: Draft = {};
  readFields(cursor, draft, fastcgiFields, (word) => `unrecognized subdirective ${word}`);
  return draft;
};

export const fastcgiTransportText: ModuleText = { readText };
