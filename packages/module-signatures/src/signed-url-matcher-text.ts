import {
  type Draft,
  lineWith,
  type MatcherReader,
  type MatcherWriter,
  Members,
  type ModuleText,
  writeLines,
} from "server-module-api";
import { readSignedUrl, signedUrlLines } from "./signed-url-lines.ts";

const { fieldLines } = writeLines;

/**
 * `signed_url [secret] { … }`. The matcher has fixed parameter names; only the handler can change them.
 * ```
 * signed_url {env.LINK_SECRET} {
 *   algorithm sha384
 * }
 * ```
 * becomes the set
 * ```json
 * { "signed_url": { "secret": "{env.LINK_SECRET}", "algorithm": "sha384" } }
 * ```
 * Source: hookenz/caddy-signed-urls
 */
const readMatcher: MatcherReader = (cursor) => {
  const draft: Draft = {};
  while (cursor.next()) {
    readSignedUrl(cursor, draft, signedUrlLines, (word) => `unknown subdirective '${word}'`);
  }
  return draft;
};

const writeMatcher: MatcherWriter = (value, path) => {
  const members = new Members(value, path);
  const secret = members.text("secret") ?? "";
  const { algorithm } = signedUrlLines;
  const lines = fieldLines(members, { algorithm });
  members.done("the matcher signed_url");
  return [lineWith(["signed_url", secret], lines)];
};

/** Reads and writes the matcher in serverfiles. */
export const signedUrlMatcherText: ModuleText = { readMatcher, writeMatcher };
