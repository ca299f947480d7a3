import { isJsonArray } from "server-core/json/json-value";
import { readMatcherSet } from "serverfile/matchers/matcher-set";
import type { ModuleText } from "serverfile/module-text";
import type { MatcherReader } from "serverfile/modules/module-reader";
import { inexpressible } from "serverfile/to-text/inexpressible";
import { lineWith } from "serverfile/to-text/lines/line";
import type { MatcherWriter } from "serverfile/to-text/matchers/matcher-writer";
import type { Draft } from "serverfile/values/draft";

/** Largest depth of nested `not` matchers. A deeper config is an error. */
const maxNotDepth = 100;
/** Current nesting of `not`. Reading is synchronous, so one counter suffices for all texts. */
let notDepth = 0;

/**
 * Each line of the block is one matcher set. A request matches when it matches none of the sets.
 * ```
 * not path /public/*
 * not {
 *   method GET
 *   host example.com
 * }
 * ```
 * becomes the set
 * ```json
 * { "not": [{ "path": ["/public/*"] }, { "method": ["GET"], "host": ["example.com"] }] }
 * ```
 */
const readMatcher: MatcherReader = (cursor, readModule) => {
  const sets: Draft[] = [];
  notDepth++;
  try {
    while (cursor.next()) {
      if (notDepth > maxNotDepth) {
        throw cursor.error(`matchers are nested deeper than the limit of ${maxNotDepth} levels`);
      }
      sets.push(readMatcherSet(cursor, readModule));
    }
  } finally {
    notDepth--;
  }
  return sets;
};

/** A set of one line follows the word `not`; other sets get braces. */
const writeMatcher: MatcherWriter = (value, path, _name, writeSet) => {
  if (!isJsonArray(value)) {
    throw inexpressible(path, "a list is expected");
  }
  return value.map((each, index) => {
    const lines = writeSet(each, `${path}/${index}`, "");
    const [only] = lines;
    return lines.length === 1 && only !== undefined
      ? { ...only, words: ["not", ...only.words] }
      : lineWith(["not"], lines);
  });
};

export const notMatcherText: ModuleText = { readMatcher, writeMatcher };
