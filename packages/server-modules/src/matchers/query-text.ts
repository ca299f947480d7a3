import { noBlock } from "serverfile/matchers/matcher-kinds";
import type { ModuleText } from "serverfile/module-text";
import type { MatcherReader } from "serverfile/modules/module-reader";
import { line } from "serverfile/to-text/lines/line";
import { listOfTexts } from "serverfile/to-text/matchers/matcher-kinds";
import type { MatcherWriter } from "serverfile/to-text/matchers/matcher-writer";
import { Members } from "serverfile/to-text/members";
import { type Draft, listOf } from "serverfile/values/draft";

/**
 * Values of one parameter are alternatives; `*` matches any value. An empty word is ignored.
 * ```
 * query sort=asc sort=desc page=*
 * ```
 * becomes the set
 * ```json
 * { "query": { "sort": ["asc", "desc"], "page": ["*"] } }
 * ```
 */
const readMatcher: MatcherReader = (cursor) => {
  const read: Draft = {};
  while (cursor.next()) {
    for (const word of cursor.remainingArguments()) {
      const equals = word.indexOf("=");
      if (word === "") {
        continue;
      }
      if (equals === -1) {
        throw cursor.error(`malformed query matcher token: ${cursor.value}; must be in param=val format`);
      }
      listOf(read, word.slice(0, equals)).push(word.slice(equals + 1));
    }
    noBlock(cursor, "query");
  }
  return read;
};

/** One word for each value. A matcher without parameters is written with an empty word. */
const writeMatcher: MatcherWriter = (value, path) => {
  const pairs = new Members(value, path)
    .entries()
    .flatMap(([key, values]) => listOfTexts(values, `${path}/${key}`).map((each) => `${key}=${each}`));
  return [line("query", ...(pairs.length === 0 ? [""] : pairs))];
};

export const queryMatcherText: ModuleText = { readMatcher, writeMatcher };
