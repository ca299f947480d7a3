import type { JsonValue } from "server-core/json/json-value";
import type { TokenCursor } from "../lexer/token-cursor.ts";
import { parsed } from "../values/block-fields.ts";
import { childOf, type Draft, listOf } from "../values/draft.ts";
import { parseInteger } from "../values/parse-number.ts";
import { readHeaderMatcher } from "./matcher-kinds.ts";

/** Parses a status code, or the first digit of a class: `404` is 404, `4xx` is 4. @throws Error for anything else */
export function parseStatus(word: string): number {
  return parseInteger(/^.{1}xx$/.test(word) ? word.slice(0, 1) : word);
}

/** Writes a status in the form that `parseStatus` reads. */
export function statusWord(status: JsonValue): string {
  return typeof status === "number" && status >= 1 && status <= 9 ? `${status}xx` : String(status);
}

/**
 * Reads `@name status 4xx` or `match { header … }`: conditions on a response, on the line or in a block.
 * @param matchers map to which the matcher is added under its name
 * @throws ServerError CONFIG_ADAPTER, for example for a name that is already defined
 */
export function readResponseMatcher(cursor: TokenCursor, matchers: Map<string, Draft>): Draft {
  cursor.next();
  const name = cursor.value;
  if (matchers.has(name)) {
    throw cursor.error(`matcher is defined more than once: ${name}`);
  }
  const matcher: Draft = {};
  for (const outer = cursor.nesting; cursor.nextArgument() || cursor.nextInBlock(outer); ) {
    switch (cursor.value) {
      case "header":
        readHeaderMatcher(cursor.segmentCursor(), childOf(matcher, "headers"));
        break;
      case "status":
        for (const word of cursor.someArguments()) {
          listOf(matcher, "status_code").push(parsed(cursor, word, parseStatus, "bad status value '%s'"));
        }
        break;
      default:
        throw cursor.error(`unrecognized response matcher ${cursor.value}`);
    }
  }
  matchers.set(name, matcher);
  return matcher;
}
