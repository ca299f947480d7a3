import { words } from "serverfile/matchers/matcher-kinds";
import type { ModuleText } from "serverfile/module-text";
import { wordLines } from "serverfile/to-text/matchers/matcher-kinds";

/**
 * ```
 * method GET HEAD
 * ```
 * becomes the set
 * ```json
 * { "method": ["GET", "HEAD"] }
 * ```
 */
const readMatcher = words("method");

const writeMatcher = wordLines("method");

export const methodMatcherText: ModuleText = { readMatcher, writeMatcher };
