import {
  blockOf,
  type Draft,
  type HandlerWriter,
  handlerDirective,
  type ModuleText,
  readLines,
  writeLines,
} from "server-module-api";
import { readSignedUrl, signedUrlLines } from "./signed-url-lines.ts";

const { fieldLines } = writeLines;

const { onlyText } = readLines;

/**
 * Lines of the block. The secret is separate, because it is always written after the directive's name, but may also be
 * read from the block.
 */
const { secret, ...lines } = {
  ...signedUrlLines,
  query_param: onlyText("query_param"),
  header: onlyText("header"),
  expires_param: onlyText("expires_param"),
  issued_param: onlyText("issued_param"),
};

/**
 * `signed_url [secret] { … }`.
 * ```
 * signed_url {env.LINK_SECRET} {
 *   algorithm sha512
 *   query_param sig
 *   expires_param until
 * }
 * ```
 * becomes
 * ```json
 * {
 *   "handler": "signed_url",
 *   "secret": "{env.LINK_SECRET}",
 *   "algorithm": "sha512",
 *   "query_param": "sig",
 *   "expires_param": "until"
 * }
 * ```
 * Source: hookenz/caddy-signedurls
 */
const directive = handlerDirective(({ cursor }) => {
  cursor.next();
  const draft: Draft = { handler: "signed_url" };
  readSignedUrl(cursor, draft, { secret, ...lines }, (word) => `unrecognized subdirective: ${word}`);
  return draft;
});

/** Writes the secret on the first line. */
const toText: HandlerWriter = (handler) => ({
  directive: "signed_url",
  words: [handler.text("secret") ?? ""],
  ...blockOf(fieldLines(handler, lines)),
});

/** Reads and writes the directive in serverfiles. */
export const signedUrlText: ModuleText = { directive, toText };
