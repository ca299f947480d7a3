import { noBlock } from "serverfile/matchers/matcher-kinds";
import type { ModuleText } from "serverfile/module-text";
import type { MatcherReader } from "serverfile/modules/module-reader";
import { line } from "serverfile/to-text/lines/line";
import { listOfTexts } from "serverfile/to-text/matchers/matcher-kinds";
import type { MatcherWriter } from "serverfile/to-text/matchers/matcher-writer";
import { Members } from "serverfile/to-text/members";
import { type Draft, listOf } from "serverfile/values/draft";

/**
 * Values of a line are alternatives. Values of several lines with the same key are added up.
 * ```
 * vars {http.request.uri.path} /a /b
 * ```
 * becomes the set
 * ```json
 * { "vars": { "{http.request.uri.path}": ["/a", "/b"] } }
 * ```
 */
const readMatcher: MatcherReader = (cursor) => {
  const read: Draft = {};
  while (cursor.next()) {
    if (!cursor.nextArgument()) {
      throw cursor.error("malformed vars matcher: expected field name");
    }
    const field = cursor.value;
    const values = cursor.remainingArguments();
    if (values.length === 0) {
      throw cursor.error("malformed vars matcher: expected at least one value to match against");
    }
    listOf(read, field).push(...values);
    noBlock(cursor, "vars");
  }
  return read;
};

const writeMatcher: MatcherWriter = (value, path) =>
  new Members(value, path)
    .entries()
    .map(([key, values]) => line("vars", key, ...listOfTexts(values, `${path}/${key}`)));

export const varsMatcherText: ModuleText = { readMatcher, writeMatcher };
