import { words } from "serverfile/matchers/matcher-kinds";
import type { ModuleText } from "serverfile/module-text";
import { wordLines } from "serverfile/to-text/matchers/matcher-kinds";

/**
 * ```
 * path /api/* *.json
 * ```
 * becomes the set
 * ```json
 * { "path": ["/api/*", "*.json"] }
 * ```
 */
const readMatcher = words("path");

const writeMatcher = wordLines("path");

export const pathMatcherText: ModuleText = { readMatcher, writeMatcher };
