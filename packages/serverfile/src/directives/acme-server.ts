import type { TokenCursor } from "../lexer/token-cursor.ts";
import { routeOf } from "../routes/route.ts";
import type { DirectiveResult } from "../routes/site-results.ts";
import { duration, type FieldReader, flag, onlyText, readFields } from "../values/block-fields.ts";
import { childOf, type Draft, listOf } from "../values/draft.ts";
import { type Directive, routeResult, takeMatcher } from "./directive.ts";

function rules(which: "allow" | "deny"): FieldReader {
  return (cursor: TokenCursor, draft: Draft) => {
    const read: Draft = {};
    for (const outer = cursor.nesting; cursor.nextInBlock(outer); ) {
      const name = cursor.value;
      if (cursor.countRemainingArguments() === 0) {
        throw cursor.argumentError();
      }
      if (name !== "domains" && name !== "ip_ranges") {
        throw cursor.error(`unrecognized '${which}' subdirective: ${name}`);
      }
      listOf(read, name).push(...cursor.remainingArguments());
    }
    childOf(draft, "policy")[which] = read;
  };
}

const fields = {
  ca: onlyText("ca"),
  lifetime: duration("lifetime", ""),
  resolvers: (cursor: TokenCursor, draft: Draft) => {
    const addresses = cursor.remainingArguments();
    if (addresses.length === 0) {
      throw cursor.error("must specify at least one resolver address");
    }
    draft.resolvers = addresses;
  },
  challenges: (cursor: TokenCursor, draft: Draft) => {
    const names = cursor.remainingArguments();
    if (names.length > 0) {
      listOf(draft, "challenges").push(...names);
    }
  },
  allow_wildcard_names: (_cursor: TokenCursor, draft: Draft) => {
    childOf(draft, "policy").allow_wildcard_names = true;
  },
  allow: rules("allow"),
  deny: rules("deny"),
  sign_with_root: flag("sign_with_root"),
};

/** `acme_server`: hands out certificates of an own authority, which it makes part of the config. */
export const acmeServer: Directive = (context) => {
  const { cursor } = context;
  cursor.next();
  const matcher = takeMatcher(context);
  cursor.next();
  cursor.noMoreArguments();
  const handler: Draft = { handler: "acme_server" };
  readFields(cursor, handler, fields, (word) => `unrecognized ACME server directive: ${word}`);
  const results: DirectiveResult[] = [routeResult(routeOf(matcher, handler))];
  if (typeof handler.ca === "string") {
    results.push({ kind: "authority", id: handler.ca, authority: {} });
  }
  return results;
};
