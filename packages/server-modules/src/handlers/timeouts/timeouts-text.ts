import { handlerDirective } from "serverfile/directives/directive";
import type { ModuleText } from "serverfile/module-text";
import * as write from "serverfile/to-text/lines/field-lines";
import { blockOf } from "serverfile/to-text/lines/line";
import { durationWord } from "serverfile/to-text/lines/value-words";
import type { HandlerWriter } from "serverfile/to-text/routes/handler-writer";
import { type FieldReader, parsed, readFields, size } from "serverfile/values/block-fields";
import { type Draft, setAt } from "serverfile/values/draft";
import { parseDuration } from "serverfile/values/parse-duration";
import { parseInteger } from "serverfile/values/parse-number";

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
const directive = handlerDirective(({ cursor }) => {
  cursor.next();
  const draft: Draft = { handler: "timeouts" };
  readFields(cursor, draft, fields, (word) => `unrecognized timeouts subdirective '${word}'`);
  return draft;
});

/** A time, with the slowest rate after it. */
function paced(which: "read" | "write") {
  return write.field(`${which}_timeout`, (members, key) => {
    const time = members.number(key);
    const rate = members.number(`${which}_min_rate`);
    return time === undefined ? undefined : [durationWord(time), ...(rate === undefined ? [] : [`${rate}`])];
  });
}

/** A rate whose time is zero. */
function pacedAlone(which: "read" | "write") {
  return write.field(`${which}_min_rate`, (members, key) => {
    return ["0", `${members.number(key)}`];
  });
}

const toText: HandlerWriter = (handler) => {
  const lines = [
    ...write.fieldLines(handler, {
      read_timeout: paced("read"),
      write_timeout: paced("write"),
      max_write_chunk: write.size("max_write_chunk"),
    }),
    ...write.fieldLines(handler, { read_timeout: pacedAlone("read"), write_timeout: pacedAlone("write") }),
  ];
  return { directive: "timeouts", words: [], ...blockOf(lines) };
};

/** How serverfiles say it. */
export const timeoutsText: ModuleText = { directive, toText };
