import { messageOf } from "server-core/errors";
import type { TokenCursor } from "../lexer/token-cursor.ts";
import { childOf, type Draft, setAt } from "./draft.ts";
import { parseDuration } from "./parse-duration.ts";
import { parseInteger } from "./parse-number.ts";
import { parseSize } from "./parse-size.ts";

/** Reads one line of a block, whose first word is the current token, into what is being made. */
export type FieldReader = (cursor: TokenCursor, draft: Draft) => void;
export type FieldReaders = Readonly<Record<string, FieldReader>>;

/** One word; more are left unread. @param path where it goes, dotted */
export function text(path: string): FieldReader {
  return (cursor, draft) => setAt(draft, path, cursor.argument());
}

/** Exactly one word. */
export function onlyText(path: string): FieldReader {
  return (cursor, draft) => setAt(draft, path, cursor.onlyArgument());
}

/** At least one word; they replace those of a line before. */
export function texts(path: string): FieldReader {
  return (cursor, draft) => setAt(draft, path, cursor.someArguments());
}

/** A line without arguments that sets `value` (true). */
export function flag(path: string, value = true): FieldReader {
  return (cursor, draft) => {
    cursor.noMoreArguments();
    if (value) {
      setAt(draft, path, true);
    } else {
      setFalse(draft, path);
    }
  };
}

/** Sets a boolean whose default is true to false. */
export function setFalse(draft: Draft, path: string): void {
  const keys = path.split(".");
  const last = keys.pop() ?? path;
  let parent = draft;
  for (const key of keys) {
    parent = childOf(parent, key);
  }
  parent[last] = false;
}

/** Reads a word with `parse`; what it throws becomes an error with the place. @param fault words before the reason */
export function parsed<T>(cursor: TokenCursor, word: string, parse: (word: string) => T, fault: string): T {
  try {
    return parse(word);
  } catch (error) {
    const prefix = fault.replaceAll("%s", word);
    throw cursor.error(prefix === "" ? messageOf(error) : `${prefix}: ${messageOf(error)}`, error);
  }
}

/** A duration, as nanoseconds. @param fault what an error starts with; `%s` is the word */
export function duration(path: string, fault: string): FieldReader {
  return (cursor, draft) => setAt(draft, path, parsed(cursor, cursor.argument(), parseDuration, fault));
}

/** A whole number. @param bits that it must fit in */
export function integer(path: string, fault: string, bits = 64): FieldReader {
  return (cursor, draft) =>
    setAt(
      draft,
      path,
      parsed(cursor, cursor.argument(), (word) => parseInteger(word, bits), fault),
    );
}

/** A size in bytes; the only argument. */
export function size(path: string, fault: string): FieldReader {
  return (cursor, draft) => setAt(draft, path, parsed(cursor, cursor.onlyArgument(), parseSize, fault));
}

/**
 * Reads every line of the block that follows.
 * @param unknown the message for a line that no field reads
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
