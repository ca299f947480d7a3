import { ServerError } from "../errors.ts";
import { maxJsonDepth } from "../json/encode-json.ts";

/**
 * Splits a JSON pointer into its tokens: `/a~1b/0` → `a/b`, `0`; "" is the whole document.
 * @throws ServerError PATCH_MALFORMED. Source: RFC 6901
 */
export function parseJsonPointer(text: string): string[] {
  if (text === "") {
    return [];
  }
  if (!text.startsWith("/")) {
    throw new ServerError("PATCH_MALFORMED", `'${text}' is not a JSON pointer: it does not start with '/'`);
  }
  if (/~(?![01])/.test(text)) {
    throw new ServerError(
      "PATCH_MALFORMED",
      `'${text}' is not a JSON pointer: '~' stands before neither 0 nor 1`,
    );
  }
  const tokens = text.slice(1).split("/");
  if (tokens.length > maxJsonDepth) {
    throw new ServerError("PATCH_MALFORMED", `a pointer of ${tokens.length} tokens, limit ${maxJsonDepth}`);
  }
  return tokens.map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The JSON pointer with these tokens. Source: RFC 6901 */
export function formatJsonPointer(tokens: readonly string[]): string {
  return tokens.map((token) => `/${token.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
