import { words } from "serverfile/matchers/matcher-kinds";
import type { ModuleText } from "serverfile/module-text";
import { wordLines } from "serverfile/to-text/matchers/matcher-kinds";

/**
 * Several lines add up.
 * ```
 * host example.com *.example.org
 * ```
 * becomes the set
 * ```json
 * { "host": ["example.com", "*.example.org"] }
 * ```
 */
const readMatcher = words("host");

const writeMatcher = wordLines("host");

export const hostMatcherText: ModuleText = { readMatcher, writeMatcher };
