// Tables of lines: a row reads a line into JSON, and writes it back. With
//
//     const fields = { max_size: size("limits.max_bytes"), strict: flag("strict") };
//
// the block
//
//     max_size 10MB
//     strict
//
// becomes `{ "limits": { "max_bytes": 10000000 }, "strict": true }`, and `fieldLines` converts it back to the block.
//
// | row | line | member |
// |---|---|---|
// | `text`, `onlyText` | one word | string |
// | `texts`, `appended` | several words | list |
// | `flag` | no word | true or false |
// | `integer` | `5` | number |
// | `duration` | `1m30s` | nanoseconds |
// | `size` | `10MiB` | bytes |

import { messageOf } from "server-core/errors";
import type { JsonValue } from "server-core/json/json-value";
import type { TokenCursor } from "../lexer/token-cursor.ts";
import { childOf, type Draft, listOf, setAt } from "./draft.ts";
import { parseDuration } from "./parse-duration.ts";
import { parseInteger } from "./parse-number.ts";
import { parseSize } from "./parse-size.ts";
import { durationWord, sizeWord } from "./value-words.ts";

/** Reads one line of a block into a draft. The current token is the first word of the line. */
export type FieldReader = (cursor: TokenCursor, draft: Draft) => void;
/** Readers of a block's lines, by the first word of the line. */
export type FieldReaders = Readonly<Record<string, FieldReader>>;

/**
 * The members of an object that is written as text. Each method takes a member, and throws for a value of another type.
 * `Members` of to-text implements this interface; this folder does not depend on to-text.
 */
interface TakenMembers {
  text(key: string): string | undefined;
  texts(key: string): readonly string[] | undefined;
  number(key: string): number | undefined;
  boolean(key: string): boolean | undefined;
  list(key: string): readonly JsonValue[] | undefined;
  take(key: string): JsonValue | undefined;
  refuse(key: string, reason: string): Error;
}

/** The words after a line's name; undefined when the member is missing. */
export type RowWords = (members: TakenMembers, key: string) => readonly string[] | undefined;

/** A line for one member: the row reads the line, and also returns the words for writing it. */
export type Row = FieldReader & {
  /** Dotted path in the object of the block. */
  readonly path: string;
  readonly words: RowWords;
  /** The word for an empty value, which creates the objects on the path; undefined for a line without such a word. */
  readonly empty: string | undefined;
};

/**
 * Makes a row from a reader and a writer. @param path dotted path of the member
 * @param empty word for an empty value; absent: the line cannot express an empty value
 */
export function row(path: string, read: FieldReader, words: RowWords, empty?: string): Row {
  return Object.assign((cursor: TokenCursor, draft: Draft) => read(cursor, draft), { path, words, empty });
}

/** One word for a value; undefined for a missing value. */
function one<T>(value: T | undefined, toWord: (value: T) => string): readonly string[] | undefined {
  return value === undefined ? undefined : [toWord(value)];
}

/** Writers of words, by type of the member. */
export const wordsOf = {
  text: (members, key) => one(members.text(key), String),
  texts: (members, key) => members.texts(key),
  number: (members, key) => one(members.number(key), String),
  numbers: (members, key) => members.list(key)?.map(String),
  boolean: (members, key) => one(members.boolean(key), String),
  duration: (members, key) => one(members.number(key), durationWord),
  size: (members, key) => one(members.number(key), sizeWord),
} satisfies Record<string, RowWords>;

/**
 * Writer of fixed words for a boolean value.
 * The opposite value has no line, and is refused.
 */
export function wordsFor(value: boolean, ...words: readonly string[]): RowWords {
  return (members, key) => {
    const present = members.boolean(key);
    if (present !== undefined && present !== value) {
      throw members.refuse(key, `${!value} is what it is without a line`);
    }
    return present === undefined ? undefined : words;
  };
}

/**
 * Reads one word; further words stay unread.
 * An empty word removes the member, as in Caddy.
 * @param path dotted path in the result
 */
export function text(path: string): Row {
  return row(path, (cursor, draft) => setAt(draft, path, cursor.argument()), wordsOf.text, "");
}

/** A line with exactly one word. */
export function onlyText(path: string): Row {
  return row(path, (cursor, draft) => setAt(draft, path, cursor.onlyArgument()), wordsOf.text, "");
}

/** A line with one or more words, which replace the words of an earlier line. */
export function texts(path: string): Row {
  return row(path, (cursor, draft) => setAt(draft, path, cursor.someArguments()), wordsOf.texts);
}

/**
 * A line with any number of words, which are appended to the words of earlier lines. @param path a direct member of the
 * object
 */
export function appended(path: string): Row {
  const read: FieldReader = (cursor, draft) => {
    const words = cursor.remainingArguments();
    if (words.length > 0) {
      listOf(draft, path).push(...words);
    }
  };
  return row(path, read, wordsOf.texts);
}

/** A line without arguments that sets `value` (true). */
export function flag(path: string, value = true): Row {
  const read: FieldReader = (cursor, draft) => {
    cursor.noMoreArguments();
    if (value) {
      setAt(draft, path, true);
    } else {
      setFalse(draft, path);
    }
  };
  return row(path, read, wordsFor(value));
}

/** A row that a block may contain only once. @param message error text for a second line */
export function once(of: Row, message: string): Row {
  const read: FieldReader = (cursor, draft) => {
    if (draft[of.path] !== undefined) {
      throw cursor.error(message);
    }
    of(cursor, draft);
  };
  return row(of.path, read, of.words, of.empty);
}

/** Sets a boolean to false; for booleans whose default is true. */
export function setFalse(draft: Draft, path: string): void {
  const keys = path.split(".");
  const last = keys.pop() ?? path;
  let parent = draft;
  for (const key of keys) {
    parent = childOf(parent, key);
  }
  parent[last] = false;
}

/** Parses a word; errors get file and line. @param fault text before the reason */
export function parsed<T>(cursor: TokenCursor, word: string, parse: (word: string) => T, fault: string): T {
  try {
    return parse(word);
  } catch (error) {
    const prefix = fault.replaceAll("%s", word);
    throw cursor.error(prefix === "" ? messageOf(error) : `${prefix}: ${messageOf(error)}`, error);
  }
}

/** A line with a duration in nanoseconds. @param fault start of the error text; `%s` is the word */
export function duration(path: string, fault = ""): Row {
  const read: FieldReader = (cursor, draft) =>
    setAt(draft, path, parsed(cursor, cursor.argument(), parseDuration, fault));
  return row(path, read, wordsOf.duration, "0");
}

/** A whole number. @param bits size of the integer type */
export function integer(path: string, fault = "", bits = 64): Row {
  const read: FieldReader = (cursor, draft) =>
    setAt(
      draft,
      path,
      parsed(cursor, cursor.argument(), (word) => parseInteger(word, bits), fault),
    );
  return row(path, read, wordsOf.number, "0");
}

/**
 * A line with a duration, and the minimum rate of a slow peer in bytes per second.
 * @param which `read` or `write`; the rate is stored in `read_min_rate` or `write_min_rate`
 * @param faults start of the error texts for duration and rate
 */
export function paced(path: string, which: "read" | "write", faults: readonly [string, string]): Row {
  const rateKey = `${which}_min_rate`;
  const read: FieldReader = (cursor, draft) => {
    const [time, rate, ...more] = cursor.remainingArguments();
    if (time === undefined || more.length > 0) {
      throw cursor.argumentError();
    }
    setAt(draft, path, parsed(cursor, time, parseDuration, faults[0]));
    if (rate !== undefined) {
      setAt(draft, rateKey, parsed(cursor, rate, parseInteger, faults[1]));
    }
  };
  return row(path, read, (members, key) => [
    ...(wordsOf.duration(members, key) ?? ["0"]),
    ...(wordsOf.number(members, rateKey) ?? []),
  ]);
}

/** A size in bytes, as the only argument. */
export function size(path: string, fault = ""): Row {
  const read: FieldReader = (cursor, draft) =>
    setAt(draft, path, parsed(cursor, cursor.onlyArgument(), parseSize, fault));
  return row(path, read, wordsOf.size, "0");
}

/**
 * Reads all lines of the following block.
 * @param unknown error text for an unknown line
 */
export function readFields(
  cursor: TokenCursor,
  draft: Draft,
  fields: FieldReaders,
  unknown: (word: string) => string,
): void {
  for (const outer = cursor.nesting; cursor.nextInBlock(outer); ) {
    const reader = Object.hasOwn(fields, cursor.value) ? fields[cursor.value] : undefined;
    if (reader === undefined) {
      throw cursor.error(unknown(cursor.value));
    }
    reader(cursor, draft);
  }
}
