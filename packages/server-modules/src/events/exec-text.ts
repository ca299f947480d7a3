import type { ModuleText } from "serverfile/module-text";
import type { ModuleReader } from "serverfile/modules/module-reader";
import { duration, flag, onlyText, readFields } from "serverfile/values/block-fields";
import { type Draft, setAt } from "serverfile/values/draft";
import { parseInteger } from "serverfile/values/parse-number";

/**
 * `exec <command> <args...>`, as Caddy's plug-in reads it; the block is an addition to Caddy.
 * `exec /bin/notify {event.name} { foreground; abort_codes 3 }` becomes
 * `{ "handler": "exec", "command": "/bin/notify", "args": ["{event.name}"], "foreground": true, "abort_codes": [3] }`.
 */
const readText: ModuleReader = (cursor) => {
  cursor.next();
  const draft: Draft = {};
  setAt(draft, "command", cursor.argument());
  const args = cursor.remainingArguments();
  if (args.length > 0) {
    setAt(draft, "args", args);
  }
  readFields(
    cursor,
    draft,
    {
      dir: onlyText("dir"),
      timeout: duration("timeout", "bad timeout value '%s'"),
      foreground: flag("foreground"),
      abort_codes: (line, read) => {
        const codes = line.someArguments().map((word) => {
          try {
            return parseInteger(word);
          } catch (error) {
            throw line.error(`bad abort code '${word}'`, error);
          }
        });
        setAt(read, "abort_codes", codes);
      },
    },
    (word) => `unrecognized subdirective '${word}'`,
  );
  return draft;
};

export const execText: ModuleText = { readText };
