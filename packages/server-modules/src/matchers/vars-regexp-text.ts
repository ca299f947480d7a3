import { keyedRegexp } from "serverfile/matchers/matcher-kinds";
import type { ModuleText } from "serverfile/module-text";
import { keyedRegexps } from "serverfile/to-text/matchers/matcher-kinds";

/**
 * The key is a variable, or a placeholder in braces.
 * ```
 * vars_regexp tenant {http.vars.tenant} ^([a-z]+)-
 * ```
 * becomes the set
 * ```json
 * { "vars_regexp": { "{http.vars.tenant}": { "name": "tenant", "pattern": "^([a-z]+)-" } } }
 * ```
 */
const readMatcher = keyedRegexp("vars_regexp", true);

const writeMatcher = keyedRegexps("vars_regexp");

export const varsRegexpMatcherText: ModuleText = { readMatcher, writeMatcher };
