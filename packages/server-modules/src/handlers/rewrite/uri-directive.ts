import { handlerDirective } from "serverfile/directives/directive";
import type { TokenCursor } from "serverfile/lexer/token-cursor";
import { parsed } from "serverfile/values/block-fields";
import { type Draft, listOf, onlyGiven } from "serverfile/values/draft";
import { parseInteger } from "serverfile/values/parse-number";

/** Throws the standard argument error unless there are exactly `count` words. */
function expectCount(cursor: TokenCursor, words: readonly string[], count: number): void {
  if (words.length !== count) {
    throw cursor.argumentError();
  }
}

/** `-key`, `+key value`, `key>new`, `key search replacement`, `key value`. */
function queryOperation(cursor: TokenCursor, query: Draft, words: readonly string[]): void {
  const [key = "", second = "", third = ""] = words;
  if (key.startsWith("-")) {
    expectCount(cursor, words, 1);
    listOf(query, "delete").push(key.replace(/^-+/, ""));
  } else if (key.startsWith("+")) {
    expectCount(cursor, words, 2);
    listOf(query, "add").push(onlyGiven({ key: key.replace(/^\++/, ""), val: second }));
  } else if (key.includes(">")) {
    expectCount(cursor, words, 1);
    const [from = "", to = ""] = key.split(">");
    listOf(query, "rename").push(onlyGiven({ key: from, val: to }));
  } else if (words.length === 3) {
    listOf(query, "replace").push(onlyGiven({ key, search_regexp: second, replace: third }));
  } else {
    expectCount(cursor, words, 2);
    listOf(query, "set").push(onlyGiven({ key, val: second }));
  }
}

/** Reads operations from the line or from the block; using both is an error. */
function readQuery(cursor: TokenCursor, words: readonly string[]): Draft {
  if (words.length > 3) {
    throw cursor.argumentError();
  }
  const query: Draft = {};
  if (words.length > 0) {
    queryOperation(cursor, query, words);
  }
  while (cursor.nextInBlock(0)) {
    if (words.length > 0) {
      throw cursor.error("Cannot specify uri query rewrites in both argument and block");
    }
    const line = [cursor.value, ...cursor.remainingArguments()];
    queryOperation(cursor, query, line);
  }
  return query;
}

/**
 * `uri strip_prefix|strip_suffix|replace|path_regexp|query …`: changes the request's URI.
 * ```
 * uri strip_prefix /api
 * ```
 * becomes
 * ```json
 * { "handler": "rewrite", "strip_path_prefix": "/api" }
 * ```
 * A `query` with a block:
 * ```
 * uri query {
 *   +seen 1
 *   old>new
 *   -debug
 * }
 * ```
 * becomes
 * ```json
 * {
 *   "handler": "rewrite",
 *   "query": {
 *     "add": [{ "key": "seen", "val": "1" }],
 *     "rename": [{ "key": "old", "val": "new" }],
 *     "delete": ["debug"]
 *   }
 * }
 * ```
 * The limit of `replace` is the maximum number of replacements; 0, or no limit, replaces all matches.
 */
export const uri = handlerDirective(({ cursor }) => {
  cursor.next();
  const [operation = "", ...words] = cursor.someArguments();
  const [first = "", second = "", third] = words;
  const handler = "rewrite";
  switch (operation) {
    case "strip_prefix":
      expectCount(cursor, words, 1);
      return onlyGiven({ handler, strip_path_prefix: first });
    case "strip_suffix":
      expectCount(cursor, words, 1);
      return onlyGiven({ handler, strip_path_suffix: first });
    case "replace": {
      expectCount(cursor, words, third === undefined ? 2 : 3);
      const limit =
        third === undefined || third === ""
          ? 0
          : parsed(cursor, third, parseInteger, "limit must be an integer; invalid");
      return { handler, uri_substring: [onlyGiven({ find: first, replace: second, limit })] };
    }
    case "path_regexp":
      expectCount(cursor, words, 2);
      return { handler, path_regexp: [onlyGiven({ find: first, replace: second })] };
    case "query":
      return { handler, query: readQuery(cursor, words) };
    default:
      throw cursor.error(`unrecognized URI manipulation '${operation}'`);
  }
});
