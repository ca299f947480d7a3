import { TokenCursor } from "../lexer/token-cursor.ts";
import type { ReadModule } from "../modules/module-reader.ts";
import type { Draft } from "../values/draft.ts";
import { readMatcherSet } from "./matcher-set.ts";

/**
 * Reads a definition `@name …` into `matchers`. The matchers follow on its line or in a block; a quoted text is an
 * expression. `@api path /api/*` defines the set `{ "path": ["/api/*"] }`.
 * @throws ServerError CONFIG_ADAPTER, for example for a name that is already defined
 */
export function readNamedMatcher(
  cursor: TokenCursor,
  matchers: Map<string, Draft>,
  readModule: ReadModule,
): void {
  cursor.next();
  const definition = cursor.value;
  if (matchers.has(definition)) {
    throw cursor.error(`matcher is defined more than once: ${definition}`);
  }
  const name = definition.slice(1);
  if (cursor.nextArgument()) {
    const { token } = cursor;
    if (token !== undefined && token.quote !== "") {
      const expression = new TokenCursor([{ ...token, text: "expression" }, token], name);
      const value = readModule.matcher("expression")?.(expression, readModule);
      matchers.set(definition, value === undefined ? {} : { expression: value });
      return;
    }
    cursor.previous();
  }
  matchers.set(definition, readMatcherSet(cursor, readModule, name, false));
}
