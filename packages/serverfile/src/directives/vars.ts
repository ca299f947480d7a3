import type { TokenCursor } from "../lexer/token-cursor.ts";
import { type Draft, setMember } from "../values/draft.ts";
import { parseScalar } from "../values/parse-number.ts";
import { handlerDirective } from "./directive.ts";

function readVariable(cursor: TokenCursor, draft: Draft): void {
  const name = cursor.value;
  const word = cursor.argument();
  setMember(draft, name, cursor.token?.quote === "" ? parseScalar(word) : word);
  cursor.noMoreArguments();
}

/** `vars name value`, or a block of such lines. Numbers and booleans are such unless quoted. */
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
