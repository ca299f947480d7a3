import { keyedRegexp } from "serverfile/matchers/matcher-kinds";
import type { ModuleText } from "serverfile/module-text";
import { keyedRegexps } from "serverfile/to-text/matchers/matcher-kinds";

/**
 * With two words, captures get the name of the matcher set; with three, the first word is the name.
 * ```
 * header_regexp version User-Agent curl/([0-9.]+)
 * ```
 * becomes the set
 * ```json
 * { "header_regexp": { "User-Agent": { "name": "version", "pattern": "curl/([0-9.]+)" } } }
 * ```
 */
const readMatcher = keyedRegexp("header_regexp", false);

const writeMatcher = keyedRegexps("header_regexp");

export const headerRegexpMatcherText: ModuleText = { readMatcher, writeMatcher };
