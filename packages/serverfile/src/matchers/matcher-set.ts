import type { Token } from "../lexer/token.ts";
import { TokenCursor } from "../lexer/token-cursor.ts";
import type { ReadModule } from "../modules/module-reader.ts";
import { type Draft, setMember } from "../values/draft.ts";

/** Reads one matcher from all its lines. @throws ServerError CONFIG_ADAPTER for an unknown matcher */
function readMatcher(name: string, tokens: readonly Token[], matcherName: string, readModule: ReadModule) {
  const cursor = new TokenCursor(tokens, matcherName);
  const reader = readModule.matcher(name);
  if (reader === undefined) {
    throw cursor.errorAtStart(
      `getting matcher module '${name}': module not registered: http.matchers.${name}`,
    );
  }
  return reader(cursor, readModule);
}

/**
 * Reads the matchers on the rest of the line, or in the following block. Lines that start with the same matcher are
 * read together. A block with the lines `path /a` and `method GET` becomes `{ "path": ["/a"], "method": ["GET"] }`.
 * @param matcherName name of the named matcher; "" for an inline matcher
 * @throws ServerError CONFIG_ADAPTER
 */
export function readMatcherSet(
  cursor: TokenCursor,
  readModule: ReadModule,
  matcherName = "",
  quotedIsExpression = true,
): Draft {
  const lines = new Map<string, Token[]>();
  // Collects all lines of a matcher.
  const linesOf = (name: string) => {
    const present = lines.get(name) ?? [];
    lines.set(name, present);
    return present;
  };
  for (const outer = cursor.nesting; cursor.nextArgument() || cursor.nextInBlock(outer); ) {
    const { token } = cursor;
    if (token !== undefined && token.quote !== "" && quotedIsExpression) {
      linesOf("expression").push({ ...token, text: "expression" }, token);
    } else {
      linesOf(cursor.value).push(...cursor.nextSegment());
    }
  }
  const set: Draft = {};
  for (const [name, tokens] of lines) {
    setMember(set, name, readMatcher(name, tokens, matcherName, readModule));
  }
  return set;
}
