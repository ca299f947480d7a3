import type { ModuleText } from "serverfile/module-text";
import type { MatcherReader } from "serverfile/modules/module-reader";
import { line } from "serverfile/to-text/lines/line";
import { listOfTexts } from "serverfile/to-text/matchers/matcher-kinds";
import type { MatcherWriter } from "serverfile/to-text/matchers/matcher-writer";

/**
 * When several lines occur, the last one wins.
 * ```
 * protocol https
 * ```
 * becomes the set
 * ```json
 * { "protocol": "https" }
 * ```
 */
const readMatcher: MatcherReader = (cursor) => {
  let read = "";
  while (cursor.next()) {
    if (!cursor.nextArgument()) {
      throw cursor.error("expected exactly one protocol");
    }
    read = cursor.value;
  }
  return read;
};

const writeMatcher: MatcherWriter = (value, path) => [line("protocol", ...listOfTexts([value], path))];

export const protocolMatcherText: ModuleText = { readMatcher, writeMatcher };
