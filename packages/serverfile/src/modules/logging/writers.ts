import { messageOf } from "server-core/errors";
import type { TokenCursor } from "../../lexer/token-cursor.ts";
import {
  type FieldReader,
  type FieldReaders,
  flag,
  onlyText,
  parsed,
  readFields,
  row,
  wordsOf,
} from "../../values/block-fields.ts";
import { onlyGiven, setAt } from "../../values/draft.ts";
import { parseDuration } from "../../values/parse-duration.ts";
import { parseInteger } from "../../values/parse-number.ts";
import { parseSize } from "../../values/parse-size.ts";
import { type ModuleReader, noSettings } from "../module-reader.ts";

const unknown = (word: string) => `unrecognized subdirective '${word}'`;
/** Nanoseconds of a day, the unit to which `roll_keep_for` is rounded up. */
const dayNs = 86_400e9;
/** Bytes of a mebibyte, the unit to which `roll_size` is rounded up. */
const mebibyte = 1024 * 1024;

/** Parses octal permission bits. @throws Error */
function parseMode(text: string): number {
  if (!/^[0-7]{1,11}$/.test(text)) {
    throw new Error(`parsing ${JSON.stringify(text.padStart(4, "0"))}: invalid syntax`);
  }
  return Number.parseInt(text, 8);
}

/** Returns words that blanks or commas separate. */
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

/** `mode 0600`: permission bits of the file; 0 means the server's default. */
const readMode: FieldReader = (cursor, draft) => {
  const mode = parsed(cursor, cursor.onlyArgument(), parseMode, "parsing mode");
  setAt(draft, "mode", mode === 0 ? "" : mode.toString(8).padStart(4, "0"));
};

/** `dir_mode 0700`, `inherit` or `from_file`: permission bits of created folders. */
const readFolderMode: FieldReader = (cursor, draft) => {
  const word = cursor.onlyArgument().trim();
  if (!["inherit", "from_file"].includes(word.toLowerCase())) {
    parsed(cursor, word, parseMode, "parsing dir_mode");
  }
  draft.dir_mode = word;
};

/** `roll_size 100MiB`: size at which a file is rotated. */
const readRollSize: FieldReader = (cursor, draft) => {
  const bytes = parsed(cursor, cursor.onlyArgument(), parseSize, "parsing size");
  setAt(draft, "roll_size_mb", Math.ceil(bytes / mebibyte));
};

/** `roll_compression none | gzip | zstd`. */
const readCompression: FieldReader = (cursor, draft) => {
  const word = cursor.onlyArgument().trim().toLowerCase();
  if (!["none", "gzip", "zstd"].includes(word)) {
    throw cursor.error("parsing roll_compression: must be 'none', 'gzip' or 'zstd'");
  }
  draft.roll_compression = word;
};

/** `roll_keep 10`: number of rotated files to keep. */
const readKeep: FieldReader = (cursor, draft) =>
  setAt(draft, "roll_keep", parsed(cursor, cursor.onlyArgument(), parseInteger, "parsing roll_keep number"));

/** `roll_keep_for 90d`: age at which rotated files are deleted. */
const readKeepFor: FieldReader = (cursor, draft) => {
  const word = cursor.onlyArgument();
  const time = parsed(cursor, word, parseDuration, "parsing roll_keep_for duration");
  if (time < 0) {
    throw cursor.error(`negative roll_keep_for duration: ${word}`);
  }
  setAt(draft, "roll_keep_days", Math.ceil(time / dayNs));
};

/** `roll_interval 24h`: time after which a file is rotated. */
const readRollInterval: FieldReader = (cursor, draft) => {
  const word = cursor.onlyArgument();
  setAt(draft, "roll_interval", parsed(cursor, word, parseDuration, "parsing roll_interval duration"));
};

/** `roll_minutes 0,30`: minutes of the hour at which a file is rotated. */
const readMinutes: FieldReader = (cursor, draft) => {
  draft.roll_minutes = separated(cursor, "roll_minutes").map((word) =>
    parsed(cursor, word, parseInteger, "parsing roll_minutes number"),
  );
};

/** `roll_at 00:00,12:00`: times of the day at which a file is rotated. */
const readRollAt: FieldReader = (cursor, draft) => {
  draft.roll_at = separated(cursor, "roll_at");
};

/** The lines of `file`. */
export const fileFields: FieldReaders = {
  mode: row("mode", readMode, wordsOf.text),
  dir_mode: row("dir_mode", readFolderMode, wordsOf.text),
  roll_disabled: flag("roll", false),
  roll_size: row("roll_size_mb", readRollSize, (members, key) => [`${members.number(key)}MiB`]),
  roll_uncompressed: flag("roll_gzip", false),
  roll_compression: row("roll_compression", readCompression, wordsOf.text),
  roll_local_time: flag("roll_local_time"),
  roll_keep: row("roll_keep", readKeep, wordsOf.number),
  roll_keep_for: row("roll_keep_days", readKeepFor, (members, key) => [`${members.number(key)}d`]),
  roll_interval: row("roll_interval", readRollInterval, wordsOf.duration),
  roll_minutes: row("roll_minutes", readMinutes, wordsOf.numbers),
  roll_at: row("roll_at", readRollAt, wordsOf.texts),
  backup_time_format: onlyText("backup_time_format"),
};

/** `dial_timeout 5s`: timeout for connecting to the log host. */
const readDialTimeout: FieldReader = (cursor, draft) => {
  const word = cursor.argument();
  try {
    setAt(draft, "dial_timeout", parseDuration(word));
  } catch (error) {
    throw cursor.error(`invalid duration: ${word}`, messageOf(error));
  }
  cursor.noMoreArguments();
};

/** The lines of `net`. */
export const netFields: FieldReaders = {
  dial_timeout: row("dial_timeout", readDialTimeout, wordsOf.duration),
  soft_start: flag("soft_start"),
};

/** `output file path { … }`. */
const file: ModuleReader = (cursor) => {
  cursor.next();
  const draft = onlyGiven({ filename: cursor.argument() });
  cursor.noMoreArguments();
  readFields(cursor, draft, fileFields, unknown);
  return draft;
};

/** `output net address { … }`. */
const net: ModuleReader = (cursor) => {
  cursor.next();
  const draft = onlyGiven({ address: cursor.argument() });
  cursor.noMoreArguments();
  readFields(cursor, draft, netFields, unknown);
  return draft;
};

/** Readers of all log writers. */
export const logWriters: Readonly<Record<string, ModuleReader>> = {
  discard: noSettings,
  file,
  net,
  stderr: noSettings,
  stdout: noSettings,
};
