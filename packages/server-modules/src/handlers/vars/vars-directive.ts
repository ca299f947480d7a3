import { handlerDirective } from "serverfile/directives/directive";
import type { TokenCursor } from "serverfile/lexer/token-cursor";
import { type Draft, setMember } from "serverfile/values/draft";
import { parseScalar } from "serverfile/values/parse-number";

/** Reads the name at the cursor and the value after it. Only unquoted words become numbers or booleans. */
function readVariable(cursor: TokenCursor, draft: Draft): void {
  const name = cursor.value;
  const word = cursor.argument();
  setMember(draft, name, cursor.token?.quote === "" ? parseScalar(word) : word);
  cursor.noMoreArguments();
}

/**
 * `vars name value`, or a block of such lines. Unquoted numbers and booleans keep their type.
 * ```
 * vars {
 *   tier gold
 *   limit 20
 *   zip "04109"
 * }
 * ```
 * becomes
 * ```json
 * { "tier": "gold", "limit": 20, "zip": "04109", "handler": "vars" }
 * ```
 */
export const vars = handlerDirective(({ cursor }) => {
  cursor.next();
  const draft: Draft = {};
  if (cursor.nextArgument()) {
    readVariable(cursor, draft);
  }
  while (cursor.nextInBlock(0)) {
    readVariable(cursor, draft);
  }
  return { ...draft, handler: "vars" };
});
