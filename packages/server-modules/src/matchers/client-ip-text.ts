import { ranges } from "serverfile/matchers/matcher-kinds";
import type { ModuleText } from "serverfile/module-text";
import { rangeLines } from "serverfile/to-text/matchers/matcher-kinds";

const readMatcher = ranges("client_ip");

const writeMatcher = rangeLines("client_ip");

/** How serverfiles say it. */
export const clientIpMatcherText: ModuleText = { readMatcher, writeMatcher };
