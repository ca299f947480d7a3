import { type Directive, routeResult, takeMatcher } from "serverfile/directives/directive";
import type { TokenCursor } from "serverfile/lexer/token-cursor";
import type { ModuleText } from "serverfile/module-text";
import { routeOf } from "serverfile/routes/route";
import type { DirectiveResult } from "serverfile/routes/site-results";
import { fieldLines } from "serverfile/to-text/lines/field-lines";
import { blockOf, type Line } from "serverfile/to-text/lines/line";
import type { Members } from "serverfile/to-text/members";
import type { HandlerWriter } from "serverfile/to-text/routes/handler-writer";
import {
  appended,
  duration,
  type FieldReader,
  flag,
  onlyText,
  readFields,
  row,
  wordsFor,
  wordsOf,
} from "serverfile/values/block-fields";
import { childOf, type Draft } from "serverfile/values/draft";

/** Lines of `allow` and `deny`. Words of repeated lines with the same name are added up. */
const ruleFields = { domains: appended("domains"), ip_ranges: appended("ip_ranges") };

/**
 * Reads an `allow` or `deny` block into `policy.allow` or `policy.deny`. A second block of the same kind
 * replaces the first, as in Caddy. A line without words is an error.
 */
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
      ruleFields[name](cursor, read);
    }
    childOf(draft, "policy")[which] = read;
  };
}

/** Lines of the block. `allow` and `deny` are not fields, so `toText` writes them separately. */
const fields = {
  ca: onlyText("ca"),
  lifetime: duration("lifetime", ""),
  resolvers: row(
    "resolvers",
    (cursor, draft) => {
      const addresses = cursor.remainingArguments();
      if (addresses.length === 0) {
        throw cursor.error("must specify at least one resolver address");
      }
      draft.resolvers = addresses;
    },
    wordsOf.texts,
  ),
  challenges: appended("challenges"),
  allow_wildcard_names: row(
    "policy.allow_wildcard_names",
    (_cursor, draft) => {
      childOf(draft, "policy").allow_wildcard_names = true;
    },
    wordsFor(true),
  ),
  allow: rules("allow"),
  deny: rules("deny"),
  sign_with_root: flag("sign_with_root"),
};

/**
 * `acme_server`: issues certificates from a CA of this server, which the directive adds to the config. The CA is added
 * to the app `pki` with its defaults, so no global option is needed.
 * ```
 * acme_server {
 *   ca corporate
 *   lifetime 12h
 *   allow {
 *     domains *.example.internal
 *   }
 * }
 * ```
 * becomes
 * ```json
 * {
 *   "handler": "acme_server",
 *   "ca": "corporate",
 *   "lifetime": 43200000000000,
 *   "policy": { "allow": { "domains": ["*.example.internal"] } }
 * }
 * ```
 */
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

/** Writes the block of `allow` or `deny`; no line when the policy lacks the member. */
function ruleLines(policy: Members | undefined, which: "allow" | "deny"): Line[] {
  const rule = policy?.child(which);
  return rule === undefined ? [] : [{ words: [which], block: fieldLines(rule, ruleFields) }];
}

/** Writes plain members first and the two rules last. The option `pki` writes the CA itself. */
const toText: HandlerWriter = (handler) => {
  const policy = handler.child("policy");
  const rules = [...ruleLines(policy, "allow"), ...ruleLines(policy, "deny")];
  return { directive: "acme_server", words: [], ...blockOf([...fieldLines(handler, fields), ...rules]) };
};

export const acmeServerText: ModuleText = { directive, toText };
