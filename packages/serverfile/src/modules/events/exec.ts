import { duration, flag, onlyText, readFields } from "../../values/block-fields.ts";
import { type Draft, setAt } from "../../values/draft.ts";
import { parseInteger } from "../../values/parse-number.ts";
import type { ModuleReader } from "../module-reader.ts";

/** `exec <command> <args...>`, as the model's plugin reads it; the block is ours. */
export const execHandler: ModuleReader = (cursor) => {
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
