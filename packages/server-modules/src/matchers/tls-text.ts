import type { ModuleText } from "serverfile/module-text";
import type { MatcherReader } from "serverfile/modules/module-reader";
import { line } from "serverfile/to-text/lines/line";
import type { MatcherWriter } from "serverfile/to-text/matchers/matcher-writer";
import { Members } from "serverfile/to-text/members";
import type { Draft } from "serverfile/values/draft";

/**
 * `tls` alone matches every request over TLS.
 * ```
 * tls early_data
 * ```
 * becomes the set
 * ```json
 * { "tls": { "handshake_complete": false } }
 * ```
 */
const readMatcher: MatcherReader = (cursor) => {
  let read: Draft = {};
  while (cursor.next()) {
    if (cursor.nextArgument()) {
      if (cursor.value !== "early_data") {
        throw cursor.error(`unrecognized option '${cursor.value}'`);
      }
      read = { handshake_complete: false };
    }
    cursor.noMoreArguments();
    if (cursor.nextInBlock(0)) {
      throw cursor.error("malformed tls matcher: blocks are not supported yet");
    }
  }
  return read;
};

const writeMatcher: MatcherWriter = (value, path) => {
  const members = new Members(value, path);
  const early = members.boolean("handshake_complete") === false;
  members.done("the matcher tls");
  return [line("tls", ...(early ? ["early_data"] : []))];
};

export const tlsMatcherText: ModuleText = { readMatcher, writeMatcher };
