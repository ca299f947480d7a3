import { noBlock, regexp } from "serverfile/matchers/matcher-kinds";
import type { ModuleText } from "serverfile/module-text";
import type { MatcherReader } from "serverfile/modules/module-reader";
import { line } from "serverfile/to-text/lines/line";
import { regexpWords } from "serverfile/to-text/matchers/matcher-kinds";
import type { MatcherWriter } from "serverfile/to-text/matchers/matcher-writer";
import type { Draft } from "serverfile/values/draft";

/**
 * This matcher is allowed once in a set, because captures would otherwise share a name. The default name is the set's
 * name.
 * ```
 * path_regexp item ^/items/([0-9]+)$
 * ```
 * becomes the set
 * ```json
 * { "path_regexp": { "name": "item", "pattern": "^/items/([0-9]+)$" } }
 * ```
 */
const readMatcher: MatcherReader = (cursor) => {
  let read: Draft = { pattern: "" };
  while (cursor.next()) {
    if (read.pattern !== "") {
      throw cursor.error("regular expression can only be used once per named matcher");
    }
    const [first = "", second, ...more] = cursor.someArguments();
    if (more.length > 0) {
      throw cursor.argumentError();
    }
    read = regexp((second === undefined ? "" : first) || cursor.matcherName, second ?? first);
    noBlock(cursor, "path_regexp");
  }
  return read;
};

const writeMatcher: MatcherWriter = (value, path, matcherName) => [
  line("path_regexp", ...regexpWords(value, path, matcherName, [])),
];

export const pathRegexpMatcherText: ModuleText = { readMatcher, writeMatcher };
