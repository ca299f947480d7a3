import { keyedRegexp } from "serverfile/matchers/matcher-kinds";
import type { ModuleText } from "serverfile/module-text";
import { keyedRegexps } from "serverfile/to-text/matchers/matcher-kinds";

const readMatcher = keyedRegexp("header_regexp", false);

const writeMatcher = keyedRegexps("header_regexp");

/** How serverfiles say it. */
export const headerRegexpMatcherText: ModuleText = { readMatcher, writeMatcher };
