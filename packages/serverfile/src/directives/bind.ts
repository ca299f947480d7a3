import type { TokenCursor } from "../lexer/token-cursor.ts";
import type { Bind } from "../routes/site-results.ts";
import type { Directive } from "./directive.ts";

/** Reads `address… { protocols h1 h2 }`, after the name. @throws ServerError CONFIG_ADAPTER */
export function readBind(cursor: TokenCursor): Bind {
  cursor.next();
  const addresses = cursor.remainingArguments();
  let protocols: string[] = [];
  while (cursor.nextInBlock(0)) {
    if (cursor.value !== "protocols") {
      throw cursor.error(`unknown subdirective: ${cursor.value}`);
    }
    protocols = cursor.remainingArguments();
    if (protocols.length === 0) {
      throw cursor.error("protocols requires one or more arguments");
    }
  }
  return { addresses, protocols };
}

/** `bind`: the addresses on which a site listens. The port comes from the site's address. */
export const bind: Directive = ({ cursor }) => [{ kind: "bind", bind: readBind(cursor) }];
