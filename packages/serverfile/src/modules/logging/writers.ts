import { messageOf } from "server-core/errors";
import type { TokenCursor } from "../../lexer/token-cursor.ts";
import { type FieldReader, flag, onlyText, parsed, readFields } from "../../values/block-fields.ts";
import { onlyGiven, setAt } from "../../values/draft.ts";
import { parseDuration } from "../../values/parse-duration.ts";
import { parseInteger } from "../../values/parse-number.ts";
import { parseSize } from "../../values/parse-size.ts";
import { type ModuleReader, noSettings } from "../module-reader.ts";

const unknown = (word: string) => `unrecognized subdirective '${word}'`;
const dayNs = 86_400e9;
const mebibyte = 1024 * 1024;

/** Octal permission bits. @throws Error */
function parseMode(text: string): number {
  if (!/^[0-7]{1,11}$/.test(text)) {
    throw new Error(`parsing ${JSON.stringify(text.padStart(4, "0"))}: invalid syntax`);
  }
  return Number.parseInt(text, 8);
}

/** Words that commas part too. */
function separated(cursor: TokenCursor, what: string): string[] {
  return cursor.someArguments().flatMap((word) =>
    word.split(",").map((part) => {
      if (part.trim() === "") {
        throw cursor.error(`parsing ${what}: empty value`);
      }
      return part.trim();
    }),
  );
}

const fileFields: Readonly<Record<string, FieldReader>> = {
  mode: (cursor, draft) => {
    const mode = parsed(cursor, cursor.onlyArgument(), parseMode, "parsing mode");
    setAt(draft, "mode", mode === 0 ? "" : mode.toString(8).padStart(4, "0"));
  },
  dir_mode: (cursor, draft) => {
    const word = cursor.onlyArgument().trim();
    if (!["inherit", "from_file"].includes(word.toLowerCase())) {
      parsed(cursor, word, parseMode, "parsing dir_mode");
    }
    draft.dir_mode = word;
  },
  roll_disabled: flag("roll", false),
  roll_size: (cursor, draft) => {
    const bytes = parsed(cursor, cursor.onlyArgument(), parseSize, "parsing size");
    setAt(draft, "roll_size_mb", Math.ceil(bytes / mebibyte));
  },
  roll_uncompressed: flag("roll_gzip", false),
  roll_compression: (cursor, draft) => {
    const word = cursor.onlyArgument().trim().toLowerCase();
    if (!["none", "gzip", "zstd"].includes(word)) {
      throw cursor.error("parsing roll_compression: must be 'none', 'gzip' or 'zstd'");
    }
    draft.roll_compression = word;
  },
  roll_local_time: flag("roll_local_time"),
  roll_keep: (cursor, draft) => {
    const count = parsed(cursor, cursor.onlyArgument(), parseInteger, "parsing roll_keep number");
    setAt(draft, "roll_keep", count);
  },
  roll_keep_for: (cursor, draft) => {
    const word = cursor.onlyArgument();
    const time = parsed(cursor, word, parseDuration, "parsing roll_keep_for duration");
    if (time < 0) {
      throw cursor.error(`negative roll_keep_for duration: ${word}`);
    }
    setAt(draft, "roll_keep_days", Math.ceil(time / dayNs));
  },
  roll_interval: (cursor, draft) => {
    const word = cursor.onlyArgument();
    setAt(draft, "roll_interval", parsed(cursor, word, parseDuration, "parsing roll_interval duration"));
  },
  roll_minutes: (cursor, draft) => {
    draft.roll_minutes = separated(cursor, "roll_minutes").map((word) =>
      parsed(cursor, word, parseInteger, "parsing roll_minutes number"),
    );
  },
  roll_at: (cursor, draft) => {
    draft.roll_at = separated(cursor, "roll_at");
  },
  backup_time_format: onlyText("backup_time_format"),
};

const netFields: Readonly<Record<string, FieldReader>> = {
  dial_timeout: (cursor, draft) => {
    const word = cursor.argument();
    try {
      setAt(draft, "dial_timeout", parseDuration(word));
    } catch (error) {
      throw cursor.error(`invalid duration: ${word}`, messageOf(error));
    }
    cursor.noMoreArguments();
  },
  soft_start: flag("soft_start"),
};

const file: ModuleReader = (cursor) => {
  cursor.next();
  const draft = onlyGiven({ filename: cursor.argument() });
  cursor.noMoreArguments();
  readFields(cursor, draft, fileFields, unknown);
  return draft;
};

const net: ModuleReader = (cursor) => {
  cursor.next();
  const draft = onlyGiven({ address: cursor.argument() });
  cursor.noMoreArguments();
  readFields(cursor, draft, netFields, unknown);
  return draft;
};

/** Where logs go: the one list. */
export const logWriters: Readonly<Record<string, ModuleReader>> = {
  discard: noSettings,
  file,
  net,
  stderr: noSettings,
  stdout: noSettings,
};
