import { words } from "serverfile/matchers/matcher-kinds";
import type { ModuleText } from "serverfile/module-text";
import { wordLines } from "serverfile/to-text/matchers/matcher-kinds";

const readMatcher = words("host");

const writeMatcher = wordLines("host");

/** How serverfiles say it. */
export const hostMatcherText: ModuleText = { readMatcher, writeMatcher };
