import { type FieldReader, parsed, readFields, size } from "../values/block-fields.ts";
import { type Draft, setAt } from "../values/draft.ts";
import { parseDuration } from "../values/parse-duration.ts";
import { parseInteger } from "../values/parse-number.ts";
import { handlerDirective } from "./directive.ts";

/** A time, and the bytes a second that a slow peer must reach at least. */
function timeout(name: "read" | "write"): FieldReader {
  return (cursor, draft) => {
    const key = `${name}_timeout`;
    const [time, rate, ...more] = cursor.remainingArguments();
    if (time === undefined || more.length > 0) {
      throw cursor.argumentError();
    }
    setAt(draft, key, parsed(cursor, time, parseDuration, `parsing ${key}`));
    if (rate !== undefined) {
      setAt(draft, `${name}_min_rate`, parsed(cursor, rate, parseInteger, `parsing ${key} min_rate`));
    }
  };
}

const fields = {
  read_timeout: timeout("read"),
  write_timeout: timeout("write"),
  max_write_chunk: size("max_write_chunk", "parsing max_write_chunk"),
};

/** `timeouts { read_timeout 5s [rate]; write_timeout …; max_write_chunk … }`. */
export const timeouts = handlerDirective(({ cursor }) => {
  cursor.next();
  const draft: Draft = { handler: "timeouts" };
  readFields(cursor, draft, fields, (word) => `unrecognized timeouts subdirective '${word}'`);
  return draft;
});
