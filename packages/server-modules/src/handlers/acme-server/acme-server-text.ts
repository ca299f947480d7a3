import { type Directive, routeResult, takeMatcher } from "serverfile/directives/directive";
import type { TokenCursor } from "serverfile/lexer/token-cursor";
import type { ModuleText } from "serverfile/module-text";
import { routeOf } from "serverfile/routes/route";
import type { DirectiveResult } from "serverfile/routes/site-results";
import * as write from "serverfile/to-text/lines/field-lines";
import { blockOf, type Line } from "serverfile/to-text/lines/line";
import type { Members } from "serverfile/to-text/members";
import type { HandlerWriter } from "serverfile/to-text/routes/handler-writer";
import { duration, type FieldReader, flag, onlyText, readFields } from "serverfile/values/block-fields";
import { childOf, type Draft, listOf } from "serverfile/values/draft";

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
const directive: Directive = (context) => {
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

function ruleLines(policy: Members | undefined, which: "allow" | "deny"): Line[] {
  const rule = policy?.child(which);
  return rule === undefined
    ? []
    : [
        {
          words: [which],
          block: write.fieldLines(rule, {
            domains: write.texts("domains"),
            ip_ranges: write.texts("ip_ranges"),
          }),
        },
      ];
}

const toText: HandlerWriter = (handler) => {
  const policy = handler.child("policy");
  const lines = [
    ...write.fieldLines(handler, {
      ca: write.text("ca"),
      lifetime: write.duration("lifetime"),
      resolvers: write.texts("resolvers"),
      challenges: write.texts("challenges"),
      allow_wildcard_names: write.flag("policy.allow_wildcard_names"),
    }),
    ...ruleLines(policy, "allow"),
    ...ruleLines(policy, "deny"),
    ...write.fieldLines(handler, { sign_with_root: write.flag("sign_with_root") }),
  ];
  return { directive: "acme_server", words: [], ...blockOf(lines) };
};

/** How serverfiles say it. */
export const acmeServerText: ModuleText = { directive, toText };
