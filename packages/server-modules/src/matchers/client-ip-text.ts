import { ranges } from "serverfile/matchers/matcher-kinds";
import type { ModuleText } from "serverfile/module-text";
import { rangeLines } from "serverfile/to-text/matchers/matcher-kinds";

/**
 * Ranges of addresses; `private_ranges` stands for all private ranges.
 * ```
 * client_ip 192.0.2.0/24 2001:db8::1
 * ```
 * becomes the set
 * ```json
 * { "client_ip": { "ranges": ["192.0.2.0/24", "2001:db8::1"] } }
 * ```
 */
const readMatcher = ranges("client_ip");

const writeMatcher = rangeLines("client_ip");

export const clientIpMatcherText: ModuleText = { readMatcher, writeMatcher };
