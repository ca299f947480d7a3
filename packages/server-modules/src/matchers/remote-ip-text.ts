import { ranges } from "serverfile/matchers/matcher-kinds";
import type { ModuleText } from "serverfile/module-text";
import { rangeLines } from "serverfile/to-text/matchers/matcher-kinds";

/**
 * Ranges as in `client_ip`, compared with the peer's address.
 * ```
 * remote_ip private_ranges
 * ```
 * becomes the set
 * ```json
 * {
 *   "remote_ip": {
 *     "ranges": [
 *       "192.168.0.0/16",
 *       "172.16.0.0/12",
 *       "10.0.0.0/8",
 *       "127.0.0.1/8",
 *       "fd00::/8",
 *       "::1"
 *     ]
 *   }
 * }
 * ```
 */
const readMatcher = ranges("remote_ip");

const writeMatcher = rangeLines("remote_ip");

export const remoteIpMatcherText: ModuleText = { readMatcher, writeMatcher };
