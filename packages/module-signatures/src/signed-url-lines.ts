import { type Draft, readLines, type TokenCursor } from "server-module-api";

const { onlyText, readFields } = readLines;

/** Reads `secret <text>`. The secret may be on the directive's line or in its block, but only once. */
const readSecret: readLines.FieldReader = (cursor, draft) => {
  const [secret, ...more] = cursor.remainingArguments();
  if (secret === undefined || more.length > 0) {
    throw cursor.error("secret takes one argument"); // the usual message would show the secret
  }
  if (draft.secret !== undefined) {
    throw cursor.error("secret already configured");
  }
  draft.secret = secret;
};

/** Lines that the handler and the matcher share. */
export const signedUrlLines = { secret: readSecret, algorithm: onlyText("algorithm") };

/** Reads `signed_url [secret] { … }`, starting at the name. @param unknown error message for an unknown line */
export function readSignedUrl(
  cursor: TokenCursor,
  draft: Draft,
  lines: readLines.FieldReaders,
  unknown: (word: string) => string,
): void {
  const [secret, ...more] = cursor.remainingArguments();
  if (more.length > 0) {
    throw cursor.error("signed_url takes one argument, the secret");
  }
  if (secret !== undefined) {
    draft.secret = secret;
  }
  readFields(cursor, draft, lines, unknown);
  if (draft.secret === undefined) {
    throw cursor.error("secret is required");
  }
}
