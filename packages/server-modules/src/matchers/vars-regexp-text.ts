import { keyedRegexp } from "serverfile/matchers/matcher-kinds";
import type { ModuleText } from "serverfile/module-text";
import { keyedRegexps } from "serverfile/to-text/matchers/matcher-kinds";

const readMatcher = keyedRegexp("vars_regexp", true);

const writeMatcher = keyedRegexps("vars_regexp");

/** How serverfiles say it. */
export const varsRegexpMatcherText: ModuleText = { readMatcher, writeMatcher };
