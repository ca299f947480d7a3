import { readHeaderMatcher } from "serverfile/matchers/matcher-kinds";
import type { ModuleText } from "serverfile/module-text";
import type { MatcherReader } from "serverfile/modules/module-reader";
import { headerMatcherLines } from "serverfile/to-text/matchers/matcher-kinds";
import type { Draft } from "serverfile/values/draft";

/**
 * Values of several lines for one field are added up. `!Field` requires the absence of the field; a field without a
 * value requires its presence.
 * ```
 * header Accept *json*
 * header !X-Debug
 * ```
 * becomes the set
 * ```json
 * { "header": { "Accept": ["*json*"], "X-Debug": null } }
 * ```
 */
const readMatcher: MatcherReader = (cursor) => {
  const read: Draft = {};
  readHeaderMatcher(cursor, read);
  return read;
};

export const headerMatcherText: ModuleText = { readMatcher, writeMatcher: headerMatcherLines };
