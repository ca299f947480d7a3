import type { TokenCursor } from "../../lexer/token-cursor.ts";
import { duration, type FieldReaders, flag, readFields, text, texts } from "../../values/block-fields.ts";
import { childOf, type Draft, setMember } from "../../values/draft.ts";
import type { ModuleReader } from "../module-reader.ts";

/** The lines of the FastCGI transport; `php_fastcgi` has them too. */
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

/** `transport fastcgi { … }`. */
export const fastcgiTransport: ModuleReader = (cursor) => {
  cursor.next();
  const draft: Draft = {};
  readFields(cursor, draft, fastcgiFields, (word) => `unrecognized subdirective ${word}`);
  return draft;
};
