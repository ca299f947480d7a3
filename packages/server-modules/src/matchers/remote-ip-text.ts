import { ranges } from "serverfile/matchers/matcher-kinds";
import type { ModuleText } from "serverfile/module-text";
import { rangeLines } from "serverfile/to-text/matchers/matcher-kinds";

const readMatcher = ranges("remote_ip");

const writeMatcher = rangeLines("remote_ip");

/** How serverfiles say it. */
export const remoteIpMatcherText: ModuleText = { readMatcher, writeMatcher };
