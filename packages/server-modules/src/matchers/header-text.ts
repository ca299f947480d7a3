import { readHeaderMatcher } from "serverfile/matchers/matcher-kinds";
import type { ModuleText } from "serverfile/module-text";
import type { MatcherReader } from "serverfile/modules/module-reader";
import { headerMatcherLines } from "serverfile/to-text/matchers/matcher-kinds";
import type { Draft } from "serverfile/values/draft";

const readMatcher: MatcherReader = (cursor) => {
  const read: Draft = {};
  readHeaderMatcher(cursor, read);
  return read;
};

/** How serverfiles say it. */
export const headerMatcherText: ModuleText = { readMatcher, writeMatcher: headerMatcherLines };
