import type { ModuleText } from "serverfile/module-text";
import type { MatcherReader } from "serverfile/modules/module-reader";
import { type Line, line, lineWith } from "serverfile/to-text/lines/line";
import type { MatcherWriter } from "serverfile/to-text/matchers/matcher-writer";
import { Members } from "serverfile/to-text/members";
import { type Draft, onlyGiven } from "serverfile/values/draft";

/**
 * In JSON a pattern without options may be a string; the text always becomes an object.
 * ```
 * url_pattern /books/:id {
 *   ignore_case
 * }
 * ```
 * becomes the set
 * ```json
 * { "url_pattern": { "pattern": "/books/:id", "ignore_case": true } }
 * ```
 */
const readMatcher: MatcherReader = (cursor) => {
  const read: Draft = {};
  while (cursor.next()) {
    if (!cursor.nextArgument()) {
      throw cursor.error("expected exactly one URL pattern");
    }
    read.pattern = cursor.value;
    while (cursor.nextInBlock(0)) {
      switch (cursor.value) {
        case "base_url":
          read.base_url = cursor.argument();
          break;
        case "ignore_case":
          cursor.noMoreArguments();
          read.ignore_case = true;
          break;
        default:
          throw cursor.error(`unrecognized url_pattern option '${cursor.value}'`);
      }
    }
  }
  return onlyGiven(read);
};

/** Writes the pattern on the line, and options in a block. */
const writeMatcher: MatcherWriter = (value, path) => {
  const members = new Members(value, path);
  const lines: Line[] = [];
  const base = members.text("base_url");
  if (base !== undefined) {
    lines.push(line("base_url", base));
  }
  if (members.boolean("ignore_case") === true) {
    lines.push(line("ignore_case"));
  }
  const pattern = members.text("pattern") ?? "";
  members.done("the matcher url_pattern");
  return [lineWith(["url_pattern", pattern], lines)];
};

export const urlPatternMatcherText: ModuleText = { readMatcher, writeMatcher };
